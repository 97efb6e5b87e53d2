"""The start of the sandboxes: isolation is probed and recorded before any sandbox is warmed up."""

from __future__ import annotations

import asyncio

from engine.core.history.event_bus import EventBus
from engine.images import reference
from engine.models import IsolationProof, Language
from engine.sandbox import Backend
from engine.settings import SandboxSettings

PROBE_SECONDS = 20.0
"""How long an approval waits for the first sandbox of an engine that has just started."""


class SandboxStartup:
    """Starts the backend once, and says whether its isolation is proven."""

    def __init__(self, settings: SandboxSettings, events: EventBus, backend: Backend) -> None:
        self._settings = settings
        self._events = events
        self._backend = backend
        self._done = asyncio.Event()
        self._started = False

    async def run(self) -> None:
        """Start the backend, record what its first sandbox proved, and warm sandboxes up where isolated."""
        try:
            if not self._started:
                await self._backend.start()
                self._started = True
            proof = self._backend.proof
            await self._record(proof)
            if proof is not None and proof.isolated:
                await self._backend.warm(pooled_images(self._settings))
        finally:
            self._done.set()

    async def wait(self, seconds: float) -> None:
        """Wait until the start is finished, for so many seconds at most."""
        try:
            async with asyncio.timeout(seconds):
                await self._done.wait()
        except TimeoutError:
            return

    async def isolated(self) -> bool:
        """Return whether the backend's isolation is proven, once its start is finished."""
        await self.wait(PROBE_SECONDS)
        proof = self._backend.proof
        return proof is not None and proof.isolated

    async def _record(self, proof: IsolationProof | None) -> None:
        """Record the proof at once, or as soon as the disk takes it."""
        await self._events.record_surely(
            "sandbox.probed", data=proof.model_dump(mode="json") if proof else {}
        )


def pooled_images(settings: SandboxSettings) -> list[tuple[Language, str]]:
    """Return the images of which sandboxes are kept warm: each language's, and that of Python with data."""
    images = [(Language(language), reference(name)) for language, name in settings.images.items()]
    return [*images, (Language.PYTHON, reference(settings.data_image))]
