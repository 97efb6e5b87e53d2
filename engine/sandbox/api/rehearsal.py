"""What surrounds a rehearsal: decoys, and hosts that are not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from engine.sandbox.api.driver import Sandbox


class RehearsalStage(Protocol):
    """The surroundings of one rehearsal. Nothing of the host is in them, and nothing is kept."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of its sandbox."""

    def connected(self, sandbox: Sandbox) -> AbstractAsyncContextManager[None]:
        """Answer in the place of every host while this lasts. Raises SandboxUnavailable."""

    async def finish(self, files: Sequence[tuple[str, bytes]] | None) -> None:
        """Take what is still on its way, and the files that are left; None: they are not known."""
