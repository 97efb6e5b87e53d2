"""Fetches packages in a sandbox of their own: network to the registry alone, and no code of a submission."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import Any

from docker.errors import APIError

from engine.common.text import Untrusted, visible
from engine.models import KillReason, Language, Limits, Meters, OutputChunk, Package, Result, Stream
from engine.sandbox.api.job import Job, SandboxUnavailable, Watcher
from engine.sandbox.api.network_spec import NetworkSpec
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable, unavailable
from engine.sandbox.drivers.docker.package_layers import TRIES, LayerStore, PackageLayer, build_report
from engine.sandbox.packages import lock
from engine.sandbox.packages.installer import LAYER, Installer, InstallRequest
from engine.sandbox.packages.npm import Npm
from engine.sandbox.packages.pip import Pip
from engine.sandbox.packages.registry import Registry
from engine.settings import SandboxSettings

Run = Callable[[Job, Watcher], Awaitable[Result]]
LOOK_UP_SECONDS = 60
_CLOSE_SECONDS = 5.0
_FORWARDED = "network.attempt"
_PROCESSES = 256
"""Of the sandbox that fetches: npm and each script that it runs have threads of their own."""
INSTALLERS: dict[Language, Installer] = {Language.PYTHON: Pip(), Language.JAVASCRIPT: Npm()}


class _InstallerOutput:
    """Follows an installer: keeps what it says, and passes on what the network was asked for."""

    def __init__(self, watcher: Watcher | None) -> None:
        self.said = dict.fromkeys(Stream, b"")
        self._watcher = watcher

    async def output(self, chunk: OutputChunk) -> None:
        self.said[chunk.stream] += chunk.data

    def meters(self, sample: Meters) -> None:
        pass

    async def happened(self, type: str, data: dict[str, Any]) -> None:
        if self._watcher is not None and type == _FORWARDED:
            await self._watcher.happened(type, data)

    @property
    def complaint(self) -> str:
        lines = self.said[Stream.STDERR].decode("utf-8", "replace").strip().splitlines()
        return visible(Untrusted(lines[-1][:300])) if lines else "it said nothing"


def _ready(volume: str, packages: Sequence[Package], size: int, *, built: bool) -> dict[str, Any]:
    names = [f"{one.name.text}=={one.version.text}" for one in packages]
    return {"layer": volume, "packages": names, "size": size, "built": built}


class PackageService:
    """Looks packages up, and keeps layers of them. `run` runs a job in a sandbox, in its turn."""

    def __init__(self, settings: SandboxSettings, daemon: DockerClient, engine: str, run: Run) -> None:
        self._settings = settings
        self._daemon = daemon
        self._run = run
        self._layers = LayerStore(daemon, engine)
        self._building: dict[str, asyncio.Lock] = {}
        self._rooms: set[str] = set()

    @property
    def looks_up(self) -> bool:
        """Whether what a submission's packages lack is looked up as it comes in."""
        return self._settings.packages.look_up

    async def look_up(
        self,
        packages: Sequence[Package],
        language: Language = Language.PYTHON,
        builds: Collection[str] = (),
        watcher: Watcher | None = None,
    ) -> tuple[Package, ...]:
        """Return exact versions and hashes of packages and of all that they need.

        Python packages named in `builds` come back as they are: to see what they need runs their code.
        Raises SandboxUnavailable: no registry answers, or has no such packages.
        """
        try:
            lock.check_names(packages, language)
            known = lock.built(packages, language, builds) if language is Language.PYTHON else ()
            asked = [package for package in packages if package not in known]
            if not asked:
                return tuple(known)
            found = await self._found(asked, language, watcher)
            lock.check_names((*known, *found), language)
        except lock.PackageLockError as error:
            raise SandboxUnavailable(str(error)) from None
        return (*known, *found)

    async def _found(
        self, packages: Sequence[Package], language: Language, watcher: Watcher | None
    ) -> tuple[Package, ...]:
        installer = INSTALLERS[language]
        source = await installer.registry(self._settings)
        order = await asyncio.to_thread(installer.look_up, source, packages)
        job = self._job(uuid.uuid4().hex, language, order, source)
        return installer.found(await self._fetched(job, watcher))

    async def layers_of(self, job: Job, watcher: Watcher) -> tuple[tuple[str, str], ...]:
        """Return the volumes that a job's packages lie in and where they go. Raises SandboxUnavailable."""
        if not job.packages:
            return ()
        try:
            lock.check(job.packages, job.language)
            layer = await self._layer(job, watcher)
        except (lock.PackageLockError, ValueError) as error:
            raise SandboxUnavailable(str(error)) from None
        except (APIError, DockerUnreachable) as error:
            raise unavailable(error) from error
        return ((layer.volume, layer.target),)

    async def rooms_of(self, job: Job) -> tuple[tuple[str, str], ...]:
        """Return the volume that what is installed in a job's session goes to. Raises APIError, DaemonLost.

        It is there from the start: nothing can be mounted into a sandbox that runs.
        """
        if job.language not in INSTALLERS:
            return ()
        room = self._layers.room(job.session)
        self._rooms.add(room)
        await self._layers.ensure(room, self._image(job.language))
        return ((room, INSTALLERS[job.language].target),)

    async def install(self, job: Job, watcher: Watcher) -> Result:
        """Install packages into a session's room, from outside its sandbox. Raises SandboxUnavailable."""
        try:
            lock.check(job.packages, job.language)
            ((room, target),) = await self.rooms_of(job)
            await watcher.happened("run.started", {"sandbox": room, "limits": job.limits.model_dump()})
            listener = _InstallerOutput(watcher)
            result = await self._run(await self._order(job, room), listener)
            if result.exit_code == 0 and build_report(listener.said[Stream.STDOUT])[0] != target:
                raise SandboxUnavailable("the sandbox's Python is another than its packages are for")
        except (lock.PackageLockError, ValueError) as error:
            raise SandboxUnavailable(str(error)) from None
        except (APIError, DockerUnreachable) as error:
            raise unavailable(error) from error
        if result.exit_code != 0:
            return result.model_copy(update={"evidence": (*result.evidence, listener.complaint)})
        size = build_report(listener.said[Stream.STDOUT])[1]
        await watcher.happened("packages.ready", _ready(room, job.packages, size, built=True))
        return result

    async def prune(self, sessions: Iterable[str] = ()) -> None:
        """Remove layers that are too old or too large together, and what was left over."""
        used = set(self._building) | {self._layers.room(session) for session in sessions}
        with contextlib.suppress(APIError, DockerUnreachable):
            await self._layers.prune(self._settings.packages, used)

    async def close(self) -> None:
        """Remove what sessions had, as far as Docker answers in time; layers stay."""
        with contextlib.suppress(APIError, DockerUnreachable, TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                for room in self._rooms:
                    await self._layers.discard(room, TRIES)

    async def _layer(self, job: Job, watcher: Watcher) -> PackageLayer:
        digest = (await self._daemon.call("inspect_image", self._image(job.language)))["Id"]
        volume = self._layers.volume(lock.key(job.packages, job.language, digest, job.builds))
        building = self._building.setdefault(volume, asyncio.Lock())
        try:
            async with building:
                found = await self._layers.find(volume)
                layer = found or await self._build(job, volume, digest, watcher)
        finally:
            if not building.locked():
                self._building.pop(volume, None)
        data = _ready(volume, job.packages, layer.size, built=found is None)
        await watcher.happened("packages.ready", data)
        return layer

    async def _build(self, job: Job, volume: str, image: str, watcher: Watcher) -> PackageLayer:
        order = await self._order(job, volume)
        await self._layers.begin(volume, image)
        try:
            return await self._layers.finish(volume, *build_report(await self._fetched(order, watcher)))
        except BaseException:
            with contextlib.suppress(DockerUnreachable):
                await asyncio.shield(self._layers.discard(volume, TRIES))
            raise

    async def _fetched(self, job: Job, watcher: Watcher | None) -> bytes:
        """Run an installer, and return what it said. Raises SandboxUnavailable."""
        listener = _InstallerOutput(watcher)
        result = await self._run(job, listener)
        if result.kill_reason is not KillReason.NONE:
            raise SandboxUnavailable(f"fetching packages ended early: {result.kill_reason}")
        if result.exit_code != 0:
            raise SandboxUnavailable(f"packages cannot be had: {listener.complaint}")
        return listener.said[Stream.STDOUT]

    def _image(self, language: Language) -> str:
        return f"pratique/{self._settings.images[language]}"

    async def _order(self, job: Job, volume: str) -> Job:
        """Return the job that installs what a job was granted into a volume. Raises SandboxUnavailable."""
        installer = INSTALLERS[job.language]
        source = await installer.registry(self._settings)
        order = await asyncio.to_thread(installer.build, source, job.packages, job.builds)
        return self._job(job.run, job.language, order, source, ((volume, LAYER),))

    def _job(
        self,
        run: str,
        language: Language,
        order: InstallRequest,
        source: Registry,
        makes: tuple[tuple[str, str], ...] = (),
    ) -> Job:
        settings = self._settings.packages
        disk = settings.megabytes * 2
        bounds = Limits(
            memory_mb=disk + 512,
            cpus=1,
            seconds=settings.seconds if makes else LOOK_UP_SECONDS,
            disk_mb=disk,
            output_kb=8192,
            processes=_PROCESSES,
        )
        return Job(
            run=run,
            language=language,
            image=self._image(language),
            code=order.program,
            files=order.files,
            limits=bounds,
            principal="packages",
            network=NetworkSpec(source.terms(self._settings)),
            makes=makes,
        )
