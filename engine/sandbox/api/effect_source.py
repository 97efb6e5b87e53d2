"""What the kernel of a sandbox tells about the code in it, as a driver offers it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from engine.models.observed import Observation, ObservedEffect
from engine.models.snapshot import KernelSnapshot


class EffectSource(Protocol):
    """The observed effects of one sandbox."""

    @property
    def lost(self) -> str:
        """Why nothing is observed any more; empty while it is."""

    async def begin(self, *, helpers: bool) -> None:
        """Forget what was observed so far: code is about to be sent. Within a bounded time.

        `helpers`: whether the engine has started processes of the program's user beside it, or may.
        """

    def effects(self) -> AsyncGenerator[tuple[ObservedEffect, ...], None]:
        """Yield new and changed effects from then on, with times in seconds since 1970, until `finish`."""

    async def look(self) -> KernelSnapshot | None:
        """Return what is the case now, also of a paused sandbox, with times in seconds since 1970.

        Within a bounded time; None where nothing answers in that time.
        """

    async def finish(self, *, ends: bool) -> Observation:
        """Return what is known about the effects as a whole, within a bounded time.

        `ends`: the supervisor has ended every process, so that nothing can follow.
        """
