"""Records the observed effects of one run while it goes on, and what they amount to at its end."""

from __future__ import annotations

import contextlib
import time

from engine.models.observed import Observation, ObservationStatus, ObservedEffect
from engine.models.snapshot import KernelSnapshot
from engine.sandbox.api.driver import Sandbox
from engine.sandbox.api.job import Job, Watcher
from engine.sandbox.api.run_events import EffectsObserved, RunObserved
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.observed.listing import derived

_BATCH = 100


class EffectRecorder:
    """Passes observed effects to the watcher of a run."""

    def __init__(self, sandbox: Sandbox, watcher: Watcher) -> None:
        self._sandbox = sandbox
        self._watcher = watcher
        self._from = 0.0
        self._sent = False
        self._known: dict[int, ObservedEffect] = {}
        self._recorded: dict[int, ObservedEffect] = {}

    @property
    def unobserved(self) -> str:
        """Why the effects of the run are not observed; empty while they are."""
        source = self._sandbox.effects
        return self._sandbox.unobserved if source is None else source.lost

    async def begin(self, *, helpers: bool) -> None:
        """Forget what the sandbox did before the code arrives; `helpers`: as an `EffectSource` has it."""
        self._from = time.time()
        if self._sandbox.effects is not None:
            await self._sandbox.effects.begin(helpers=helpers)

    def start(self) -> None:
        """Note that the code was sent."""
        self._from, self._sent = time.time(), True

    async def look(self) -> KernelSnapshot | None:
        """Return what is the case now; None where that is not observed."""
        if not self._sent or self._sandbox.effects is None:
            return None
        seen = await self._sandbox.effects.look()
        return None if seen is None else seen.at(self._from)

    async def run(self) -> None:
        """Record new effects as they come, until cancelled; changes of their counters follow at the end."""
        if self._sandbox.effects is None:
            return
        async with contextlib.aclosing(self._sandbox.effects.effects()) as batches:
            async for batch in batches:
                self._take(batch)
                fresh = [one for one in batch if one.number not in self._recorded]
                await self._record([self._known[one.number] for one in fresh])
        if why := self.unobserved:
            await self._tell(Observation(status=ObservationStatus.INCOMPLETE, reasons=(why,)))

    def _take(self, batch: tuple[ObservedEffect, ...]) -> None:
        self._known.update({one.number: one.at(self._from) for one in batch})

    async def finish(self, report: ExitReport, job: Job, *, ends: bool) -> None:
        """Record the last state of every effect, and whether these are all."""
        if not self._sent:
            return
        observation = await self._observation(ends=ends)
        if report.received and not report.omitted:
            before = [file.name.text for file in job.files]
            after = [name for name, _ in report.files]
            for one in derived(self._known.values(), before, after):
                self._known[one.number] = one
        changed = [one for number, one in self._known.items() if self._recorded.get(number) != one]
        await self._record(changed)
        await self._tell(observation)

    async def _tell(self, observation: Observation) -> None:
        await self._watcher.event(RunObserved(observation=observation))

    async def _observation(self, *, ends: bool) -> Observation:
        source = self._sandbox.effects
        if source is None:
            return Observation(status=ObservationStatus.NONE, reasons=(self._sandbox.unobserved,))
        observation = await source.finish(ends=ends)
        async with contextlib.aclosing(source.effects()) as batches:
            async for batch in batches:
                self._take(batch)
        return observation

    async def _record(self, effects: list[ObservedEffect]) -> None:
        for start in range(0, len(effects), _BATCH):
            part = tuple(effects[start : start + _BATCH])
            await self._watcher.event(EffectsObserved(effects=part))
            self._recorded.update({one.number: one for one in part})
