"""What one run uses: told ten times a second while it goes on, and read once more at its end."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from engine.models import Meters
from engine.sandbox.api.job import Watcher
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.linux.cgroup import ResourceUsage
from engine.sandbox.run.output import OutputFollower

_SECONDS = 0.1


class MetricsSampler:
    """The readings of one run: from its control group, or from Docker where this host shows none."""

    def __init__(self, container: Container, watcher: Watcher) -> None:
        self._box = container
        self._watcher = watcher
        self.last: ResourceUsage | None = None

    async def go_on(self, output: OutputFollower) -> None:
        """Tell the watcher for ever. Ends when it is cancelled."""
        before: tuple[float, float] | None = None
        while True:
            usage = self.take() if self._box.cgroup else await self._docker_usage()
            if usage is not None:
                now = time.monotonic()
                seconds, used = (now - before[0], usage.cpu_seconds - before[1]) if before else (1.0, 0.0)
                before = (now, usage.cpu_seconds)
                self._watcher.meters(self._meters(usage, output, used / max(seconds, 1e-3)))
            await asyncio.sleep(_SECONDS)

    def take(self) -> ResourceUsage | None:
        """Read the control group, and keep what it says."""
        usage = self._box.cgroup.read() if self._box.cgroup else None
        self.last = usage or self.last
        return usage

    async def _docker_usage(self) -> ResourceUsage | None:
        usage = await self._box.docker_usage()
        if usage is not None:
            peak = max(usage.memory_peak, self.last.memory_peak if self.last else 0)
            self.last = replace(usage, memory_peak=peak)
        return usage

    def _meters(self, usage: ResourceUsage, output: OutputFollower, cores: float) -> Meters:
        return Meters(
            at=output.elapsed(),
            cpu=cores,
            memory=usage.memory,
            memory_peak=usage.memory_peak,
            processes=max(1, usage.tasks - self._box.rest_tasks + 1),
            output=output.written,
        )
