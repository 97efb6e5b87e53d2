"""One gVisor container, from its creation to its removal. Used by one run or one session, never by two."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from docker.errors import APIError, NotFound

from engine.models import Limits, Stream
from engine.sandbox.api.driver import EndState, ResourceUsage, Streams
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.drivers.docker import container_spec
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable, translated
from engine.sandbox.drivers.docker.docker_stats import usage_of
from engine.sandbox.drivers.docker.event_monitor import EventMonitor
from engine.sandbox.drivers.docker.trace import Trace, Unobserved
from engine.sandbox.drivers.linux.cgroup import Cgroup
from engine.sandbox.drivers.linux.kernel_log import has_oom_kill
from engine.sandbox.guest_protocol.framing import frames

_READY_SECONDS = 30.0
_READY = b"\0ready "
_REMOVE_TRIES = 6


@dataclass(slots=True)
class Container:
    """A sandbox whose interpreter waits for code."""

    client: DockerClient
    id: str
    image_digest: str
    limits: Limits
    host: dict[str, Any]
    """Docker's HostConfig that it was created with."""
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    events: EventMonitor
    kernel: str = ""
    cgroup: Cgroup | None = None
    created_at: float = field(default_factory=time.monotonic)
    startup_tasks: int = 0
    startup_cpu_seconds: float = 0.0
    signalled: bool = False
    """Whether the engine itself sent it a signal."""
    paused: bool = False
    resized: bool = False
    """Whether its memory and CPU are those of `limits`."""
    effects: Trace | None = None
    unobserved: str = "nothing was asked of its kernel"
    listener: asyncio.Event | None = None
    """Set once a new one would be observed, where this one is not for lack of a listener."""
    verified_in: int = 0
    """The monitoring period in which it was last verified; 0: none."""

    @property
    def runtime(self) -> str:
        """The container runtime that runs it."""
        return str(self.host["Runtime"])

    async def wait_ready(self) -> None:
        """Wait until the interpreter is ready, and note the kernel it sees. Raises SandboxUnavailable."""
        received = b""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_READY_SECONDS):
                async for stream, data in frames(self.reader):
                    received += data if stream is Stream.STDOUT else b""
                    if b"\n" in received or len(received) > 1024:
                        break
        if not received.startswith(_READY):
            raise SandboxUnavailable(
                f"the interpreter of image {self.image_digest} does not start", "pratique image build"
            )
        self.kernel = received[len(_READY) :].decode("ascii", "replace").strip()

    def observe(self, trace: Trace | Unobserved) -> None:
        """Take the source of its effects, or the reason why there is none."""
        if isinstance(trace, Unobserved):
            self.unobserved, self.listener = trace.why, trace.listener
        else:
            self.effects, self.unobserved = trace, ""

    @property
    def superseded(self) -> bool:
        """Whether a new one would be observed, and this one is not."""
        if self.effects is not None:
            return self.effects.superseded
        return self.listener is not None and self.listener.is_set()

    async def inspect(self) -> dict[str, Any]:
        """Return Docker's description of it."""
        found: dict[str, Any] = await self.client.call("inspect_container", self.id)
        return found

    async def verify(self) -> None:
        """Check that it still matches its specification. Raises SandboxUnavailable.

        Docker is asked, unless it reported no change since the last check.
        """
        if self.disconnected:
            raise SandboxUnavailable("the stream to the sandbox is closed", "pratique doctor")
        if not self.unchanged:
            with translated():
                await self.check_spec()

    @property
    def disconnected(self) -> bool:
        """Whether its streams are known to be closed."""
        return self.reader.at_eof() or self.writer.is_closing()

    @property
    def changed(self) -> bool:
        """Whether Docker reported an action of another client on it."""
        return self.events.changed(self.id)

    @property
    def unchanged(self) -> bool:
        """Whether Docker reported no change of it, nor of any image, since it was verified."""
        return self.events.is_unchanged(self.id, self.verified_in)

    async def check_spec(self) -> dict[str, Any]:
        """Return Docker's description, if it matches the specification. Raises SandboxUnavailable."""
        period = self.events.period
        found = await self.inspect()
        if drift := container_spec.spec_drift(found, self.image_digest, self.host):
            raise SandboxUnavailable(
                f"the sandbox differs from its specification: {', '.join(drift)}", "pratique doctor"
            )
        self.verified_in = period
        return found

    def usage_now(self) -> ResourceUsage | None:
        """Return what it uses, from its control group if this host has it."""
        return self.cgroup.read() if self.cgroup else None

    async def usage(self) -> ResourceUsage | None:
        """Return what it uses; Docker is asked where this host has no control group of it."""
        if self.cgroup is not None:
            return self.cgroup.read()
        try:
            return usage_of(await self.client.call("stats", self.id, stream=False, one_shot=True))
        except (APIError, DockerUnreachable):
            return None

    def resize(self, limits: Limits) -> bool:
        """Set memory and CPU to these limits; return whether they are in force."""
        if (limits.memory_mb, limits.cpus) == (self.limits.memory_mb, self.limits.cpus) and self.resized:
            return self.cgroup is None or self.cgroup.limited(limits.memory_mb * 2**20, limits.cpus)
        if self.cgroup is None or not self.cgroup.limit(limits.memory_mb * 2**20, limits.cpus):
            return False
        self.limits, self.resized = limits, True
        return True

    def pause(self, paused: bool) -> bool:
        """Pause or resume it; return whether that was possible."""
        if self.cgroup is None or not self.cgroup.pause(paused):
            return False
        self.paused = paused
        return True

    async def send(self, data: bytes) -> None:
        """Write to the supervisor's standard input."""
        self.writer.write(data)
        await self.writer.drain()

    def output(self) -> AsyncGenerator[tuple[Stream, bytes], None]:
        """Return what the guest writes, until the stream ends."""
        return frames(self.reader)

    async def signal(self, name: str) -> None:
        """Send a signal to the supervisor, which passes it on."""
        self.signalled = True
        with contextlib.suppress(APIError, DockerUnreachable):
            await self.client.call("kill", self.id, signal=name)

    async def interference(self, *, likely: bool) -> str:
        """Return whether another client of Docker, or Docker at its own end, sent it a signal."""
        if self.signalled:  # Docker reports the engine's own signals, too, and a session goes on after them
            return ""
        signalled = await self.events.signalled(self.id, likely=likely)
        if signalled is None and likely:
            return "Docker did not say whether it stopped the sandbox: it stops all when it is stopped"
        return "Docker sent the sandbox a signal, which the engine had not asked for" if signalled else ""

    async def start_process(self, command: Sequence[str], *, guarded: bool = False) -> Streams:
        """Start a command beside the program, and connect to it. Raises SandboxUnavailable."""
        with translated():
            return await self.client.execute(self.id, command, user=1001 if guarded else 1000)

    async def end_state(self) -> EndState:
        """Return how it ended, once it has."""
        try:
            state, lost = await self._stopped(), False
        except DockerUnreachable:
            state, lost = {}, True
        kernel_oom = await asyncio.to_thread(has_oom_kill, self.id)
        return EndState(state.get("ExitCode"), bool(state.get("OOMKilled")), kernel_oom, lost)

    async def _stopped(self) -> dict[str, Any]:
        """Return its state once it has stopped. Raises DockerUnreachable: it did not, or nothing answers."""
        for _ in range(20):
            try:
                state: dict[str, Any] = (await self.inspect())["State"]
            except APIError:
                return {}
            if not state["Running"]:
                return state
            await asyncio.sleep(0.1)
        raise DockerUnreachable("the stream to a running sandbox ended")

    def disconnect(self) -> None:
        """Cut the streams: the supervisor sees the end of its input and ends everything.

        It comes before any kill: an attached stream that nobody reads makes Docker's kill and wait hang.
        """
        if self.paused:
            self.pause(False)
        self.writer.transport.abort()

    async def destroy(self) -> bool:
        """Remove it, killing its processes if Docker does not answer; return whether it is gone."""
        self.disconnect()
        for attempt in range(_REMOVE_TRIES):
            if await remove(self.client, self.id):
                return True
            self.kill_processes()
            await asyncio.sleep(0.2 * 2**attempt)
        return False

    def kill_processes(self) -> None:
        """Kill its processes from this host, without Docker."""
        for pid in self.cgroup.pids() if self.cgroup else ():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


async def remove(client: DockerClient, container: str) -> bool:
    """Remove a container by force; return whether it is gone."""
    try:
        await client.call("remove_container", container, force=True, v=True)
    except NotFound:
        return True
    except APIError as error:
        return "already in progress" in str(error) and await _vanished(client, container)
    except DockerUnreachable:
        return False
    return True


async def _vanished(client: DockerClient, container: str) -> bool:
    try:
        await client.call("inspect_container", container)
    except NotFound:
        return True
    except (APIError, DockerUnreachable):
        return False
    return False
