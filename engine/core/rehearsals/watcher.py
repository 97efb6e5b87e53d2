"""Follows one rehearsal: permits its start in the image that was looked up, and keeps a part of it."""

from __future__ import annotations

from engine.common.text import Untrusted, visible
from engine.models import Meters, OutputChunk
from engine.models.observed import Observation, ObservedEffect
from engine.sandbox import StartPermit, StartRequest
from engine.sandbox.api.permit import permit_image
from engine.sandbox.api.run_events import EffectsObserved, PackagesReady, RunEvent, RunObserved

_MOST_OUTPUT = 4000
_MOST_EFFECTS = 60


class RehearsalWatcher:
    """What a rehearsal prints and does, as far as it is kept."""

    def __init__(self, image: str) -> None:
        self._image = image
        self._output = bytearray()
        self._known: dict[int, ObservedEffect] = {}
        self.observation: Observation | None = None
        self.permitted = False
        """Whether its code was let into a sandbox."""
        self.packages = ""
        """The packages that were installed for it."""

    async def permit(self, request: StartRequest) -> StartPermit:
        """Permit the start in this image alone. Raises SandboxUnavailable."""
        permit = permit_image(request, self._image)
        self.permitted = True
        return permit

    async def output(self, chunk: OutputChunk) -> None:
        """Keep the beginning."""
        self._output += chunk.data[: max(0, _MOST_OUTPUT - len(self._output))]

    def meters(self, sample: Meters) -> None:
        """Keep no samples."""

    async def event(self, event: RunEvent) -> None:
        """Keep effects, and whether these are all."""
        if isinstance(event, EffectsObserved):
            self._known.update({one.number: one for one in event.effects})
        elif isinstance(event, RunObserved):
            self.observation = event.observation
        elif isinstance(event, PackagesReady):
            self.packages = visible(Untrusted(", ".join(event.packages)))

    @property
    def printed(self) -> str:
        """The beginning of what it printed."""
        return self._output.decode("utf-8", "replace")

    @property
    def effects(self) -> tuple[ObservedEffect, ...]:
        """What it did, without what every program does."""
        own = sorted((one for one in self._known.values() if not one.routine), key=lambda one: one.first)
        return tuple(own[:_MOST_EFFECTS])
