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
from engine.sandbox.drivers.docker.container import Container, remove
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable, unavailable
from engine.sandbox.drivers.docker.event_monitor import EventMonitor
from engine.sandbox.drivers.linux.cgroup import Cgroup


@dataclass(slots=True)
class ContainerFactory:
    """Makes sandboxes for one engine."""

    daemon: DockerClient
    runtime: str
    owner: container_spec.Ownership
    can_resize: bool = True
    """Whether limits can be set from here after the start: not on a remote Docker, nor without the right."""
    active: set[str] = field(default_factory=set)
    """The containers that somebody in this engine still answers for."""
    events: EventMonitor = field(init=False)
    _images: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What Docker said of images, by digest."""

    def __post_init__(self) -> None:
        self.events = EventMonitor(self.daemon)

    async def make(
        self,
        image: str,
        language: Language,
        limits: Limits,
        extras: container_spec.Extras = container_spec.NOTHING,
    ) -> Container:
        """Create and start a sandbox, and wait until its interpreter waits. Raises SandboxUnavailable."""
        return await self._ready(image, "", partial(self._make, image, language, limits, extras), limits)

    async def create_for(self, job: Job, extras: container_spec.Extras) -> Container:
        """Make a sandbox for a job that waits for it, of the image that was approved for it."""
        make = partial(self._make, job.image, job.language, job.limits, extras, cold=True)
        return await self._ready(job.image, job.image_digest, make, job.limits)

    async def _ready(
        self, image: str, digest: str, make: Callable[[dict[str, Any]], Awaitable[Container]], limits: Limits
    ) -> Container:
        """Where it can be fitted later it starts with all of the host's cores: a quota slows the start."""
        try:
            facts = await self._facts(image, digest)
            container = await make(facts)
            if self.can_resize and not container.resize(limits):
                self.can_resize = False
                await self.end(container)
                container = await make(facts)
        except (APIError, DockerUnreachable, OSError) as error:
            raise unavailable(error, image) from error
        else:
            return container

    async def end(self, container: Container) -> bool:
        """Destroy a box, and answer for it no more: what is left of it is the reaper's."""
        try:
            return await container.destroy()
        finally:
            self.active.discard(container.id)

    async def _facts(self, image: str, digest: str) -> dict[str, Any]:
        """Return what Docker says of an image. What has a digest does not change: it is asked once."""
        if digest and digest in self._images:
            return self._images[digest]
        facts: dict[str, Any] = await self.daemon.call("inspect_image", digest or image)
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
    ) -> Container:
        cpus = float(os.cpu_count() or 1) if self.can_resize else limits.cpus
        host = container_spec.host_config(self.runtime, language, limits, cpus)
        body = container_spec.container(facts, self.owner.labels(image), host, extras, cold=cold)
        made = await self.daemon.call("create_container_from_config", body)
        reader, writer = await self._attach(made["Id"])
        host = body["HostConfig"]
        known = (made["Id"], image, facts["Id"], language, limits, host)
        container = Container(self.daemon, *known, reader, writer, self.events)
        self.active.add(container.id)
        try:
            await self.daemon.call("start", container.id)
            _, seen = await asyncio.gather(container.wait_ready(), container.check_spec())
            container.cgroup = Cgroup.of(seen["State"]["Pid"], container.id)
            container.resized = not self.can_resize
        except BaseException:
            await asyncio.shield(self.end(container))
            raise
        if usage := container.cgroup.read() if container.cgroup else None:
            container.rest_tasks, container.rest_cpu = usage.tasks, usage.cpu_seconds
        return container

    async def _attach(self, container: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await self.daemon.attach(container)
        except BaseException:
            await asyncio.shield(remove(self.daemon, container))
            raise
