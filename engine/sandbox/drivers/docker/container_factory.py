"""Makes sandboxes, and ends them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from docker.errors import APIError

from engine.models import Language, Limits
from engine.sandbox.api.job import Job
from engine.sandbox.drivers.docker import container_spec
from engine.sandbox.drivers.docker.container import Box, remove
from engine.sandbox.drivers.docker.docker_client import Daemon, DaemonLost, unavailable
from engine.sandbox.drivers.docker.event_monitor import Vigil
from engine.sandbox.drivers.linux.cgroup import Cgroup


@dataclass(slots=True)
class Maker:
    """Makes sandboxes for one engine."""

    daemon: Daemon
    runtime: str
    owner: container_spec.Ownership
    can_fit: bool = True
    """Whether limits can be set from here after the start: not on a remote Docker, nor without the right."""
    living: set[str] = field(default_factory=set)
    """The containers that somebody in this engine still answers for."""
    vigil: Vigil = field(init=False)
    _images: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What Docker said of images, by digest."""

    def __post_init__(self) -> None:
        self.vigil = Vigil(self.daemon)

    async def make(
        self,
        image: str,
        language: Language,
        limits: Limits,
        extras: container_spec.Extras = container_spec.NOTHING,
    ) -> Box:
        """Create and start a sandbox, and wait until its interpreter waits. Raises SandboxUnavailable."""
        return await self._ready(image, "", partial(self._make, image, language, limits, extras), limits)

    async def make_for(self, job: Job, extras: container_spec.Extras) -> Box:
        """Make a sandbox for a job that waits for it, of the image that was approved for it."""
        make = partial(self._make, job.image, job.language, job.limits, extras, cold=True)
        return await self._ready(job.image, job.image_digest, make, job.limits)

    async def _ready(
        self, image: str, digest: str, make: Callable[[dict[str, Any]], Awaitable[Box]], limits: Limits
    ) -> Box:
        """Where it can be fitted later it starts with all of the host's cores: a quota slows the start."""
        try:
            facts = await self._facts(image, digest)
            box = await make(facts)
            if self.can_fit and not box.fit(limits):
                self.can_fit = False
                await self.end(box)
                box = await make(facts)
        except (APIError, DaemonLost, OSError) as error:
            raise unavailable(error, image) from error
        else:
            return box

    async def end(self, box: Box) -> bool:
        """Destroy a box, and answer for it no more: what is left of it is the reaper's."""
        try:
            return await box.destroy()
        finally:
            self.living.discard(box.id)

    async def _facts(self, image: str, digest: str) -> dict[str, Any]:
        """Return what Docker says of an image. What has a digest does not change: it is asked once."""
        if digest and digest in self._images:
            return self._images[digest]
        facts: dict[str, Any] = await self.daemon.ask("inspect_image", digest or image)
        if digest:
            self._images[digest] = facts
        return facts

    async def _make(
        self,
        image: str,
        language: Language,
        limits: Limits,
        extras: container_spec.Extras,
        facts: dict[str, Any],
        *,
        cold: bool = False,
    ) -> Box:
        cpus = float(os.cpu_count() or 1) if self.can_fit else limits.cpus
        host = container_spec.host_config(self.runtime, language, limits, cpus)
        body = container_spec.container(facts, self.owner.labels(image), host, extras, cold=cold)
        made = await self.daemon.ask("create_container_from_config", body)
        reader, writer = await self._attach(made["Id"])
        host = body["HostConfig"]
        known = (made["Id"], image, facts["Id"], language, limits, host)
        box = Box(self.daemon, *known, reader, writer, self.vigil)
        self.living.add(box.id)
        try:
            await self.daemon.ask("start", box.id)
            _, seen = await asyncio.gather(box.wait_ready(), box.look())
            box.cgroup = Cgroup.of(seen["State"]["Pid"], box.id)
            box.fitted = not self.can_fit
        except BaseException:
            await asyncio.shield(self.end(box))
            raise
        if usage := box.cgroup.read() if box.cgroup else None:
            box.rest_tasks, box.rest_cpu = usage.tasks, usage.cpu_seconds
        return box

    async def _attach(self, container: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await self.daemon.attach(container)
        except BaseException:
            await asyncio.shield(remove(self.daemon, container))
            raise
