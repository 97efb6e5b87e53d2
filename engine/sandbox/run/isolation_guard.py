"""Keeps the proof of isolation: without one nothing runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from engine.models import IsolationProof
from engine.sandbox.api.driver import Sandbox, SandboxDriver
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.isolation import health


class IsolationGuard:
    """Proves that sandboxes are isolated, and refuses to run anything until they are."""

    def __init__(
        self, driver: SandboxDriver, images: Callable[[], Sequence[str]], proved: Callable[[bool], None]
    ) -> None:
        self.proof: IsolationProof | None = None
        self.trouble: SandboxUnavailable | None = None
        self._driver = driver
        self._images = images
        self._proved = proved
        self._lock = asyncio.Lock()

    async def prove(self) -> IsolationProof:
        """Test isolation in a real sandbox. Raises SandboxUnavailable."""
        try:
            async with self._lock:
                self.proof = await self._driver.probe(self._images())
        except SandboxUnavailable as error:
            self.proof, self.trouble = None, error
            raise
        self.trouble = None if self.proof.isolated else health.not_isolated(self.proof)
        self._proved(self.proof.isolated)
        return self.proof

    async def require(self) -> IsolationProof:
        """Return a proof of isolation. Raises SandboxUnavailable."""
        proof = self.proof or await self.prove()
        if not proof.isolated:
            raise self.trouble or SandboxUnavailable("isolation is not proved", "pratique doctor")
        return proof

    async def check(self, sandbox: Sandbox) -> None:
        """Check that a sandbox sees the kernel of the proof. Raises SandboxUnavailable."""
        proof = await self.require()
        if sandbox.kernel != proof.kernel.text:
            self.proof = None
            raise SandboxUnavailable(
                "the sandbox sees another kernel than the one that was proved", "pratique doctor"
            )

    def lose(self, trouble: SandboxUnavailable) -> None:
        """Discard the proof: the container runtime does not answer."""
        self.proof, self.trouble = None, trouble
        self._proved(False)
