"""Installs packages in a separate sandbox that reaches only the registry and has no code of a submission."""

from __future__ import annotations

import asyncio
import contextlib
import re
import uuid
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

from engine.common.text import Untrusted, visible
from engine.models import KillReason, Language, Limits, Meters, OutputChunk, Package, Result, Stream
from engine.sandbox.api import package_lock as lock
from engine.sandbox.api.driver import Mounts, SandboxDriver
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.job import Job, Watcher
from engine.sandbox.api.network_spec import NetworkSpec
from engine.sandbox.api.permit import StartPermit, StartRequest, permit_image
from engine.sandbox.api.run_events import NetworkAttempt, PackagesReady, RunEvent
from engine.sandbox.api.volumes import TRIES, PackageLayer
from engine.sandbox.packages.installer import LAYER, Installer, InstallRequest
from engine.sandbox.packages.npm import Npm
from engine.sandbox.packages.pip import Pip
from engine.sandbox.packages.registry import Registry
from engine.settings import SandboxSettings

Run = Callable[[Job, Watcher], Awaitable[Result]]
LOOK_UP_SECONDS = 60
_CLOSE_SECONDS = 5.0
_PROCESSES = 256
"""The process limit of an installer: npm and each script that it runs start threads."""
_TARGET = re.compile(r"/usr/local/lib/python3\.\d{1,2}/dist-packages|/node_modules")
_REPORT = re.compile(r"(\S+) (\d{1,15})((?: '[^'\s]{1,100}'){0,50})\s*")
INSTALLERS: dict[Language, Installer] = {Language.PYTHON: Pip(), Language.JAVASCRIPT: Npm()}


def build_report(output: bytes) -> tuple[str, int, str]:
    """Return where a language looks for packages, the size of a layer, and what was left out of it.

    Raises ValueError.
    """
    found = _REPORT.fullmatch(output.decode("ascii", "replace"))
    if found is None or not _TARGET.fullmatch(found[1]):
        raise ValueError("the installer did not report where it installed the packages")
    return found[1], int(found[2]), visible(Untrusted(found[3].replace("'", "").strip()))


def _note(left_out: str) -> tuple[str, ...]:
    """Return the sentence for the result about start-up hooks that were not installed."""
    return (f"not installed, because Python runs them at every start: {left_out}",) if left_out else ()


class _InstallerOutput:
    """Follows an installer: keeps its output, and passes network attempts on."""

    def __init__(self, image_digest: str, watcher: Watcher | None) -> None:
        self.streams = dict.fromkeys(Stream, b"")
        self._image_digest = image_digest
        self._watcher = watcher

    async def permit(self, request: StartRequest) -> StartPermit:
        return permit_image(request, self._image_digest)

    async def output(self, chunk: OutputChunk) -> None:
        self.streams[chunk.stream] += chunk.data

    def meters(self, sample: Meters) -> None:
        pass

    async def event(self, event: RunEvent) -> None:
        if self._watcher is not None and isinstance(event, NetworkAttempt):
            await self._watcher.event(event)

    @property
    def last_error(self) -> str:
        lines = self.streams[Stream.STDERR].decode("utf-8", "replace").strip().splitlines()
        return visible(Untrusted(lines[-1][:300])) if lines else "the installer wrote no error"


def _ready_event(volume: str, packages: Sequence[Package], size: int, *, built: bool) -> PackagesReady:
    names = tuple(f"{one.name.text}=={one.version.text}" for one in packages)
    return PackagesReady(layer=volume, packages=names, size=size, built=built)


class PackageService:
    """Looks packages up, and caches them as layers. `run` runs a job when a slot is free."""

    def __init__(self, settings: SandboxSettings, driver: SandboxDriver, run: Run) -> None:
        self._settings = settings
        self._driver = driver
        self._run = run
        self._volumes = driver.volumes
        self._building: dict[str, asyncio.Lock] = {}
        self._session_volumes: set[str] = set()

    @property
    def looks_up(self) -> bool:
        """Whether missing versions and hashes are looked up when a submission arrives."""
        return self._settings.packages.look_up

    async def look_up(
        self,
        packages: Sequence[Package],
        language: Language = Language.PYTHON,
        builds: Collection[str] = (),
        watcher: Watcher | None = None,
    ) -> tuple[Package, ...]:
        """Return exact versions and hashes of packages and their dependencies.

        Python packages named in `builds` are returned unchanged: looking up their dependencies would run
        their code. Raises SandboxUnavailable: the registry does not answer, or has no such packages.
        """
        try:
            lock.check_names(packages, language)
            known = lock.built(packages, language, builds) if language is Language.PYTHON else ()
            unknown = [package for package in packages if package not in known]
            if not unknown:
                return tuple(known)
            found = await self._look_up(unknown, language, watcher)
            lock.check_names((*known, *found), language)
        except lock.PackageLockError as error:
            raise SandboxUnavailable(str(error)) from None
        return (*known, *found)

    async def _look_up(
        self, packages: Sequence[Package], language: Language, watcher: Watcher | None
    ) -> tuple[Package, ...]:
        installer = INSTALLERS[language]
        source = await installer.registry(self._settings)
        request = await asyncio.to_thread(installer.look_up, source, packages)
        digest = await self._image(language)
        job = self._job(uuid.uuid4().hex, language, digest, request, source)
        return installer.parse_found(await self._fetch(job, watcher))

    async def layers_of(self, job: Job, watcher: Watcher) -> tuple[Mounts, tuple[str, ...]]:
        """Return volumes with a job's packages, their mount points, and notes. Raises SandboxUnavailable."""
        if not job.packages:
            return (), ()
        try:
            lock.check(job.packages, job.language)
            layer = await self._layer(job, watcher)
        except ValueError as error:
            raise SandboxUnavailable(str(error)) from None
        return ((layer.volume, layer.target),), _note(layer.left_out)

    async def session_volumes(self, key: str, language: Language) -> Mounts:
        """Return the volume for the packages of a session. Raises SandboxUnavailable.

        It exists from the start: nothing can be mounted into a running sandbox.
        """
        if language not in INSTALLERS or not self._driver.mounts_packages:
            return ()
        volume = self._volumes.session_volume(key)
        self._session_volumes.add(volume)
        await self._volumes.ensure(volume, await self._image(language))
        return ((volume, INSTALLERS[language].target),)

    async def install(self, job: Job, key: str, session_image: str, watcher: Watcher) -> Result:
        """Install packages into a session's volume, from a sandbox of their own.

        The permit is asked for with the image of the session. Raises SandboxUnavailable.
        """
        try:
            lock.check(job.packages, job.language)
            ((volume, target),) = await self.session_volumes(key, job.language)
            await watcher.permit(StartRequest(job.run, volume, session_image))
            install = await self._install_job(job, volume)
            output = _InstallerOutput(install.image_digest, watcher)
            result = await self._run(install, output)
            if result.exit_code != 0:
                return result.with_evidence(output.last_error)
            found, size, left_out = build_report(output.streams[Stream.STDOUT])
        except ValueError as error:
            raise SandboxUnavailable(str(error)) from None
        if found != target:
            raise SandboxUnavailable("the session's Python has another version than the packages are for")
        await watcher.event(_ready_event(volume, job.packages, size, built=True))
        return result.with_evidence(*_note(left_out))

    async def prune(self, sessions: Iterable[str] = ()) -> None:
        """Remove old layers, those beyond the total size, and leftovers. Raises SandboxUnavailable."""
        used = set(self._building) | {self._volumes.session_volume(session) for session in sessions}
        await self._volumes.prune(self._settings.packages, used)

    async def close(self) -> None:
        """Remove the volumes of sessions, within a deadline; layers stay."""
        with contextlib.suppress(SandboxUnavailable, TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                for volume in self._session_volumes:
                    await self._volumes.discard(volume, TRIES)

    async def _layer(self, job: Job, watcher: Watcher) -> PackageLayer:
        digest = await self._image(job.language)
        volume = self._volumes.layer_volume(lock.key(job.packages, job.language, digest, job.builds))
        building = self._building.setdefault(volume, asyncio.Lock())
        try:
            async with building:
                found = await self._volumes.find(volume)
                layer = found or await self._build(job, volume, watcher)
        finally:
            if not building.locked():
                self._building.pop(volume, None)
        await watcher.event(_ready_event(volume, job.packages, layer.size, built=found is None))
        return layer

    async def _build(self, job: Job, volume: str, watcher: Watcher) -> PackageLayer:
        install = await self._install_job(job, volume)
        await self._volumes.begin(volume, install.image_digest)
        try:
            return await self._volumes.finish(volume, *build_report(await self._fetch(install, watcher)))
        except BaseException:
            with contextlib.suppress(SandboxUnavailable):
                await asyncio.shield(self._volumes.discard(volume, TRIES))
            raise

    async def _fetch(self, job: Job, watcher: Watcher | None) -> bytes:
        """Run an installer, and return its output. Raises SandboxUnavailable."""
        output = _InstallerOutput(job.image_digest, watcher)
        result = await self._run(job, output)
        if result.kill_reason is not KillReason.NONE:
            raise SandboxUnavailable(f"the package installation was ended: {result.kill_reason}")
        if result.exit_code != 0:
            raise SandboxUnavailable(f"packages cannot be fetched: {output.last_error}")
        return output.streams[Stream.STDOUT]

    async def _image(self, language: Language) -> str:
        """Return the digest of the image in which packages of a language are installed."""
        return await self._driver.image_digest(f"pratique/{self._settings.images[language]}")

    async def _install_job(self, job: Job, volume: str) -> Job:
        """Return the job that installs the packages of a job into a volume. Raises SandboxUnavailable."""
        installer = INSTALLERS[job.language]
        source = await installer.registry(self._settings)
        request = await asyncio.to_thread(installer.build, source, job.packages, job.builds)
        digest = await self._image(job.language)
        return self._job(job.run, job.language, digest, request, source, ((volume, LAYER),))

    def _job(
        self,
        run: str,
        language: Language,
        image_digest: str,
        request: InstallRequest,
        source: Registry,
        volumes: Mounts = (),
    ) -> Job:
        return Job(
            run=run,
            language=language,
            image_digest=image_digest,
            code=request.program,
            files=request.files,
            limits=self._limits(building=bool(volumes)),
            principal="packages",
            network=NetworkSpec(source.policy(self._settings)),
            volumes=volumes,
        )

    def _limits(self, *, building: bool) -> Limits:
        settings = self._settings.packages
        disk = settings.megabytes * 2
        return Limits(
            memory_mb=disk + 512,
            cpus=1,
            seconds=settings.seconds if building else LOOK_UP_SECONDS,
            disk_mb=disk,
            output_kb=8192,
            processes=_PROCESSES,
        )
