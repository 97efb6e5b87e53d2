"""Creates containers and destroys them."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import Any

from engine.models import Language
from engine.sandbox.api.driver import SandboxSpec
from engine.sandbox.drivers.docker import container_spec
from engine.sandbox.drivers.docker.container import Container, remove
from engine.sandbox.drivers.docker.docker_client import DockerClient, translated
from engine.sandbox.drivers.docker.event_monitor import EventMonitor
from engine.sandbox.drivers.docker.tracing import Tracer
from engine.sandbox.drivers.linux.cgroup import Cgroup


@dataclass(slots=True)
class ContainerFactory:
    """Creates containers for one engine."""

    client: DockerClient
    runtime: str
    owner: container_spec.Ownership
    can_resize: bool = True
    """Whether limits can be changed after the start: not on a remote Docker, nor without the right."""
    active: set[str] = field(default_factory=set)
    """The containers that this engine still uses."""
    marks: frozenset[Language] = frozenset()
    """The languages whose lines are marked as they run."""
    tracer: Tracer = field(default_factory=Tracer)
    removed: set[str] = field(default_factory=set)
    """The containers that were destroyed, also after a failed start: their processes may outlive them."""
    events: EventMonitor = field(init=False)
    _made: dict[str, Container] = field(default_factory=dict)
    _images: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Docker's descriptions of images, by digest."""

    def __post_init__(self) -> None:
        self.events = EventMonitor(self.client)

    async def create(self, spec: SandboxSpec) -> Container:
        """Create and start a container, and wait until its interpreter is ready. Raises SandboxUnavailable.

        If it can be resized later it starts with all cores of the host: a quota slows the start.
        """
        with translated(spec.image_digest):
            container = await self._create(spec)
            if self.can_resize and not container.resize(spec.limits):
                self.can_resize = False
                await self.destroy(container)
                container = await self._create(spec)
            return container

    async def destroy(self, container: Container) -> bool:
        """Destroy a container; what is left of it is removed by the reaper."""
        try:
            return await container.destroy()
        finally:
            if container.effects is not None:
                container.effects.close()
            self.active.discard(container.id)
            self.removed.add(container.id)
            self._made.pop(container.id, None)

    def resume_cut_off(self) -> None:
        """Resume every paused container whose stream has ended: Docker is gone, and could not start again."""
        for container in self._made.values():
            if container.paused and container.disconnected:
                container.pause(False)

    async def _image(self, digest: str) -> dict[str, Any]:
        """Return Docker's description of an image. It never changes, so it is asked for once."""
        if digest not in self._images:
            self._images[digest] = await self.client.call("inspect_image", digest)
        return self._images[digest]

    async def _create(self, spec: SandboxSpec) -> Container:
        body = self._config(await self._image(spec.image_digest), spec)
        made = await self.client.call("create_container_from_config", body)
        reader, writer = await self._attach(made["Id"])
        known = (self.client, made["Id"], body["Image"], spec.limits, body["HostConfig"])
        container = Container(*known, reader, writer, self.events)
        self.active.add(container.id)
        self._made[container.id] = container
        try:
            await self._start(container)
        except BaseException:
            await asyncio.shield(self.destroy(container))
            raise
        return container

    def _config(self, image: dict[str, Any], spec: SandboxSpec) -> dict[str, Any]:
        cpus = float(os.cpu_count() or 1) if self.can_resize else spec.limits.cpus
        host = container_spec.host_config(self.runtime, spec.language, spec.limits, cpus)
        labels, marked = self.owner.labels(spec.image_digest), spec.language in self.marks
        return container_spec.container_config(image, labels, host, spec, marked=marked)

    async def _start(self, container: Container) -> None:
        await self.client.call("start", container.id)
        _, found = await asyncio.gather(container.wait_ready(), self._check_and_observe(container))
        container.cgroup = Cgroup.of(found["State"]["Pid"], container.id)
        container.resized = not self.can_resize
        if usage := container.usage_now():
            container.startup_tasks, container.startup_cpu_seconds = usage.tasks, usage.cpu_seconds

    async def _check_and_observe(self, container: Container) -> dict[str, Any]:
        """Return Docker's description; the container's kernel reports to the engine from then on."""
        found = await container.check_spec()
        container.observe(await self.tracer.attach(container.id, found["State"]["Pid"]))
        return found

    async def _attach(self, container: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await self.client.attach(container)
        except BaseException:
            await asyncio.shield(remove(self.client, container))
            raise
