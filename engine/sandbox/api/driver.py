"""What the run logic requires of whatever creates sandboxes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.models import Check, IsolationProof, Language, Limits, Stream
from engine.sandbox.api.effect_source import EffectSource
from engine.sandbox.api.volumes import VolumeStore

STANDARD_LIMITS = Limits()
Mounts = tuple[tuple[str, str], ...]
"""Volumes, and the paths they are mounted at."""
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """The sandbox to create."""

    image_digest: str
    language: Language
    limits: Limits
    environment: Mapping[str, str] = field(default_factory=dict)
    layers: Mounts = ()
    """Volumes that are mounted read-only."""
    volumes: Mounts = ()
    """Volumes that are mounted writable."""
    session: bool = False
    """Whether it serves many executions, with the image's interpreter for sessions."""
    installed: bool = False
    """Whether packages were installed in its session before."""
    on_demand: bool = False
    """Whether a run is waiting for it, so that a fast start matters more than a warm interpreter."""
    spare: bool = False
    """Whether it is made before anything needs it, so that it gives way to what is needed."""

    @property
    def late(self) -> bool:
        """Whether its interpreter is started once a request was read, because it would load packages."""
        return self.installed if self.session else bool(self.layers)

    @property
    def poolable(self) -> bool:
        """Whether a ready sandbox will do: only its memory and CPU can still be changed."""
        special = self.environment or self.layers or self.volumes or self.session
        same = (self.limits.disk_mb, self.limits.processes) == (
            STANDARD_LIMITS.disk_mb,
            STANDARD_LIMITS.processes,
        )
        return not special and same


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """One reading. Bytes, seconds of CPU, tasks of the host."""

    cpu_seconds: float
    memory: int
    memory_peak: int
    tasks: int
    oom_kills: int
    pids_limit_hits: int


@dataclass(frozen=True, slots=True)
class EndState:
    """How a sandbox ended that reported nothing itself."""

    exit_code: int | None = None
    runtime_oom: bool = False
    """Whether the container runtime reported an out-of-memory kill."""
    kernel_oom: bool = False
    """Whether the kernel log of the host has an out-of-memory kill."""
    runtime_lost: bool = False
    """Whether the container runtime could not be asked."""
    reported: str = ""
    """What the container runtime reports about it, in words."""


class Sandbox(Protocol):
    """One sandbox whose interpreter waits for code."""

    limits: Limits
    """The limits that are in force."""

    @property
    def id(self) -> str:
        """Its name in the container runtime."""

    @property
    def image_digest(self) -> str:
        """The digest of its image."""

    @property
    def runtime(self) -> str:
        """The container runtime that runs it."""

    @property
    def kernel(self) -> str:
        """The kernel release that its supervisor sees."""

    @property
    def created_at(self) -> float:
        """When it was created, by the monotonic clock."""

    @property
    def paused(self) -> bool:
        """Whether it is paused."""

    @property
    def changed(self) -> bool:
        """Whether another client of Docker is known to have acted on it since it was created."""

    @property
    def effects(self) -> EffectSource | None:
        """What its kernel tells about the code in it; None: nothing."""

    @property
    def unobserved(self) -> str:
        """Why its kernel tells nothing."""

    @property
    def superseded(self) -> bool:
        """Whether a new one would be observed, and this one is not."""

    @property
    def startup_tasks(self) -> int:
        """Tasks of the host that it had before any code arrived."""

    @property
    def startup_cpu_seconds(self) -> float:
        """CPU seconds that its start took, before any code arrived."""

    async def verify(self) -> None:
        """Check that it still is what was asked for. Raises SandboxUnavailable."""

    async def send(self, data: bytes) -> None:
        """Write to its supervisor. Raises ConnectionError."""

    def output(self) -> AsyncGenerator[tuple[Stream, bytes], None]:
        """Return what the guest writes, until the stream ends."""

    async def signal(self, name: str) -> None:
        """Send a signal to the supervisor, which passes it on to the program."""

    def pause(self, paused: bool) -> bool:
        """Pause or resume it; return whether that was possible."""

    def resize(self, limits: Limits) -> bool:
        """Set memory and CPU to these limits; return whether they are in force."""

    def usage_now(self) -> ResourceUsage | None:
        """Return what it uses, if that can be read without waiting."""

    async def usage(self) -> ResourceUsage | None:
        """Return what it uses; None if that cannot be read."""

    async def start_process(self, command: Sequence[str], *, guarded: bool = False) -> Streams:
        """Start a command beside the program, and connect to it. Raises SandboxUnavailable.

        `guarded`: as the supervisor's user, so that the program cannot stop it or look into it.
        """

    async def interference(self, *, likely: bool) -> str:
        """Return how others ended the program, as far as is known, where the engine has not.

        `likely` says that it ended as if somebody had, so that a report of it is waited for.
        """

    async def end_state(self) -> EndState:
        """Return how it ended, once it has."""

    def disconnect(self) -> None:
        """Cut its streams: the supervisor sees the end of its input and ends everything."""

    def kill_processes(self) -> None:
        """Kill its processes from this host, without the container runtime, if possible."""


class SandboxDriver(Protocol):
    """Creates and removes sandboxes of one kind for one engine. Its errors are SandboxUnavailable."""

    @property
    def runtime(self) -> str:
        """The container runtime that isolates the sandboxes."""

    @property
    def live_resize(self) -> bool:
        """Whether sandboxes can be resized and paused."""

    @property
    def mounts_packages(self) -> bool:
        """Whether packages can be mounted into sandboxes; without, none is granted."""

    @property
    def volumes(self) -> VolumeStore:
        """The volumes that hold packages."""

    async def start(self) -> None:
        """Remove what dead engines left behind. Failures are noted, not raised."""

    async def close(self) -> None:
        """Disconnect from the container runtime."""

    async def remove_all(self) -> None:
        """Remove every sandbox of this engine, as far as the container runtime answers in time."""

    async def ping(self) -> None:
        """Check that the container runtime answers. Raises SandboxUnavailable."""

    async def image_digest(self, image: str) -> str:
        """Return the digest of an image name. Raises SandboxUnavailable."""

    def known_image_digest(self, image: str) -> str | None:
        """Return the digest that was read last, if no image is known to have changed since; else None."""

    async def probe(self, images: Sequence[str]) -> IsolationProof:
        """Test isolation in a sandbox of the first of these images that exists. Raises SandboxUnavailable."""

    async def wait_full(self) -> None:
        """Return once a sandbox that is needed finds no place, so that a spare one should give way."""

    async def create(self, spec: SandboxSpec) -> Sandbox:
        """Create a sandbox and wait until its interpreter is ready. Raises SandboxUnavailable."""

    async def destroy(self, sandbox: Sandbox) -> bool:
        """Remove a sandbox; return whether it is gone."""

    async def end_frozen(self) -> None:
        """End paused sandboxes that no living engine owns, without the container runtime.

        They may be what keeps it from starting.
        """

    async def reap(self) -> None:
        """Remove what no living engine owns. Raises SandboxUnavailable."""

    async def checks(self, images: Sequence[str]) -> tuple[Check, ...]:
        """Return rows of Health about the container runtime and images."""
