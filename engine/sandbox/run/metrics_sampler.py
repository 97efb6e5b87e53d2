"""Samples what one run uses: ten times a second, and once more at its end."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from engine.models import Meters
from engine.sandbox.api.driver import ResourceUsage, Sandbox
from engine.sandbox.api.job import Watcher
from engine.sandbox.run.output import OutputFollower

_SECONDS = 0.1


class MetricsSampler:
    """Samples the resources of one run."""

    def __init__(self, sandbox: Sandbox, watcher: Watcher) -> None:
        self._sandbox = sandbox
        self._watcher = watcher
        self.last: ResourceUsage | None = None
        self.meters: Meters | None = None
        """The last sample that was sent."""

    async def run(self, output: OutputFollower) -> None:
        """Send samples to the watcher until cancelled."""
        before: tuple[float, float] | None = None
        while True:
            usage = self._keep(await self._sandbox.usage())
            if usage is not None:
                now = time.monotonic()
                seconds, used = (now - before[0], usage.cpu_seconds - before[1]) if before else (1.0, 0.0)
                before = (now, usage.cpu_seconds)
                self.meters = self._meters(usage, output, used / max(seconds, 1e-3))
                self._watcher.meters(self.meters)
            await asyncio.sleep(_SECONDS)

    def take(self) -> None:
        """Take one more sample, if that is possible without waiting."""
        self._keep(self._sandbox.usage_now())

    def _keep(self, usage: ResourceUsage | None) -> ResourceUsage | None:
        if usage is not None:
            peak = max(usage.memory_peak, self.last.memory_peak if self.last else 0)
            self.last = usage = replace(usage, memory_peak=peak)
        return usage

    def _meters(self, usage: ResourceUsage, output: OutputFollower, cores: float) -> Meters:
        return Meters(
            at=output.elapsed(),
            cpu=cores,
            memory=usage.memory,
            memory_peak=usage.memory_peak,
            processes=max(1, usage.tasks - self._sandbox.startup_tasks + 1),
            output=output.written,
        )
