"""The Docker driver: one gVisor container for each sandbox."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial

from docker.errors import APIError

from engine.common.supervisor import Supervisor
from engine.models import Check, IsolationProof, Language
from engine.sandbox.api.driver import Sandbox, SandboxSpec
from engine.sandbox.drivers.docker import frozen, ownership, reaper, watchdog_process
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.docker.container_factory import ContainerFactory
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable, translated
from engine.sandbox.drivers.docker.health import docker_checks
from engine.sandbox.drivers.docker.image_checks import ImageChecks
from engine.sandbox.drivers.docker.isolation_probe import probe
from engine.sandbox.drivers.docker.package_layers import LayerStore

_CLOSE_SECONDS = 20.0
_GONE_SECONDS = 0.05
_PING_SECONDS = 10.0
_LOOK_SECONDS = 0.25
"""How soon a paused container is resumed after Docker was lost: containerd waits for it at its own start."""


class DockerDriver:
    """Creates and removes the containers of one engine."""

    mounts_packages = True

    def __init__(
        self,
        runtime: str,
        call_deadline_seconds: float,
        engine_id: str,
        marks: frozenset[Language] = frozenset(),
    ) -> None:
        self.runtime = runtime
        self.client = DockerClient(call_deadline_seconds)
        self.factory = ContainerFactory(self.client, runtime, ownership.current(engine_id), marks=marks)
        self.volumes = LayerStore(self.client, engine_id)
        self._image_checks = ImageChecks(self.client)
        self._digests: dict[str, tuple[int, str]] = {}
        self._supervisor = Supervisor()

    @property
    def live_resize(self) -> bool:
        """Whether control groups can be written: then sandboxes can be resized and paused."""
        return self.factory.can_resize

    @property
    def removed(self) -> set[str]:
        """The containers that were removed since the last reaping."""
        return self.factory.removed

    async def start(self) -> None:
        """Remove what dead engines left behind, and watch Docker's events."""
        self._supervisor.start("watchdog", partial(watchdog_process.keep, self.factory.owner))
        await self.end_frozen()
        with contextlib.suppress(DockerUnreachable, APIError):
            await reaper.reap(self.client, self.factory.owner)
        self._supervisor.start("docker events", self.factory.events.run)
        if not self.factory.tracer.impossible:
            self._supervisor.start("observed effects", self.factory.tracer.run)
            await asyncio.sleep(0)
        self._supervisor.start("paused sandboxes", self._resume_cut_off)

    async def close(self) -> None:
        """Stop watching, end what outlived its container or could not be removed, and disconnect."""
        await self._supervisor.close()
        await asyncio.to_thread(reaper.end_without_docker, self.removed | self.factory.active)
        await self.client.close()

    async def remove_all(self) -> None:
        """Remove every container of this engine, as far as Docker answers in time."""
        with contextlib.suppress(DockerUnreachable, APIError, TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._remove_owned()

    async def ping(self) -> None:
        """Check that Docker answers. It is asked twice: a busy Docker may miss one ping."""
        with translated():
            with contextlib.suppress(DockerUnreachable):
                await self.client.call("ping", deadline=_PING_SECONDS)
                return
            await self.client.call("ping", deadline=_PING_SECONDS)

    async def image_digest(self, image: str) -> str:
        """Return Docker's digest of an image. Raises SandboxUnavailable."""
        period = self.factory.events.period
        digest = await self.client.image_digest_of(image)
        self._digests[image] = period, digest
        return digest

    def known_image_digest(self, image: str) -> str | None:
        """Return the digest that was read last, while Docker's events are read and name no image since."""
        period, digest = self._digests.get(image, (0, ""))
        return digest if period and period == self.factory.events.period else None

    async def probe(self, images: Sequence[str]) -> IsolationProof:
        """Test isolation in a container of the first of these images that Docker has."""
        return await probe(self.factory, await self.client.first_available(images))

    async def wait_full(self) -> None:
        """Wait forever: Docker places every container, on this one machine."""
        await asyncio.Event().wait()

    async def create(self, spec: SandboxSpec) -> Container:
        """Create a container and wait until its interpreter is ready. Raises SandboxUnavailable."""
        return await self.factory.create(spec)

    async def destroy(self, sandbox: Sandbox) -> bool:
        """Remove a container; return whether it is gone."""
        assert isinstance(sandbox, Container)  # noqa: S101  it made it
        return await self.factory.destroy(sandbox)

    async def end_frozen(self) -> None:
        """End paused containers that no living engine owns, without Docker, whose start they block."""
        await asyncio.to_thread(frozen.end_orphans, self.factory.owner)

    async def reap(self) -> None:
        """Remove what no living engine owns, and what outlived its removal. Raises SandboxUnavailable."""
        with translated():
            await reaper.reap(self.client, self.factory.owner, self.factory.active)
            looked_at = set(self.removed)
            await reaper.end_leftovers(self.client, looked_at)
        self.removed.difference_update(looked_at)

    async def checks(self, images: Sequence[str]) -> tuple[Check, ...]:
        """Return rows of Health about Docker and images."""
        docker = await docker_checks(self.client, self.runtime)
        images_known = await self._image_checks.checks(images) if docker[0].ok else ()
        effects = self.factory.tracer.check()
        return (*docker, *images_known, effects, *self._supervisor.checks("docker tasks"))

    async def _resume_cut_off(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self.factory.resume_cut_off()

    async def _remove_owned(self) -> None:
        while left := await reaper.owned(self.client, self.factory.owner.engine):
            for container in left:
                await reaper.resume_and_remove(self.client, container)
            await asyncio.sleep(_GONE_SECONDS)
