"""One gVisor container, from its creation to its end. Used by one run, never by two."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from docker.errors import APIError, NotFound

from engine.models import Language, Limits, Stream
from engine.sandbox.api.job import SandboxUnavailable
from engine.sandbox.drivers.docker import container_spec
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable
from engine.sandbox.drivers.docker.docker_stats import usage_of
from engine.sandbox.drivers.docker.event_monitor import EventMonitor
from engine.sandbox.drivers.linux.cgroup import Cgroup, ResourceUsage
from engine.sandbox.guest_protocol.framing import frames

_READY_SECONDS = 30.0
_READY = b"\0ready "
_REMOVE_TRIES = 6


@dataclass(slots=True)
class Container:
    """A sandbox whose interpreter waits for code."""

    daemon: DockerClient
    id: str
    image: str
    """What it was asked for by."""
    image_id: str
    language: Language
    limits: Limits
    host: dict[str, Any]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    events: EventMonitor
    kernel: str = ""
    cgroup: Cgroup | None = None
    created_at: float = field(default_factory=time.monotonic)
    rest_tasks: int = 0
    """Tasks of the host before any code came."""
    rest_cpu: float = 0.0
    """Seconds of CPU that its start took, before any code came."""
    paused: bool = False
    resized: bool = False
    """Whether its memory and CPU are those of `limits`."""
    room: str = ""
    """Of one that stays: the name under which its packages lie."""
    verified_in: int = 0
    """The watch during which it was seen to be what was asked for; 0: none was kept."""

    async def wait_ready(self) -> None:
        """Wait until the interpreter waits, and note the kernel that it sees. Raises SandboxUnavailable."""
        said = b""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_READY_SECONDS):
                async for stream, data in frames(self.reader):
                    said += data if stream is Stream.STDOUT else b""
                    if b"\n" in said or len(said) > 1024:
                        break
        if not said.startswith(_READY):
            raise SandboxUnavailable(
                f"the interpreter of image {self.image} does not start", "pratique image build"
            )
        self.kernel = said[len(_READY) :].decode("ascii", "replace").strip()

    async def inspect(self) -> dict[str, Any]:
        """Return what Docker says of it."""
        seen: dict[str, Any] = await self.daemon.call("inspect_container", self.id)
        return seen

    async def end_state(self) -> dict[str, Any]:
        """Return how Docker says that it ended, once it has.

        Raises DaemonLost: Docker does not answer, or its stream ended and the sandbox did not.
        """
        for _ in range(20):
            try:
                state: dict[str, Any] = (await self.inspect())["State"]
            except APIError:
                return {}
            if not state["Running"]:
                return state
            await asyncio.sleep(0.1)
        raise DockerUnreachable("the stream to a running sandbox ended")

    async def verify(self) -> None:
        """Check that it still is what was asked for. Raises SandboxUnavailable.

        Docker is asked unless it was heard all along, and told nothing of it since it was last seen.
        """
        if self.disconnected:
            raise SandboxUnavailable("the stream to the sandbox is closed", "pratique doctor")
        if not self.unchanged:
            await self.check_spec()

    @property
    def disconnected(self) -> bool:
        """Whether its streams are known to be no more."""
        return self.reader.at_eof() or self.writer.is_closing()

    @property
    def touched(self) -> bool:
        """Whether somebody did something to it from outside, as far as Docker was heard."""
        return self.events.touched(self.id)

    @property
    def unchanged(self) -> bool:
        """Whether nothing was told of it, nor of any image, since it was seen to be right."""
        return self.events.is_unchanged(self.id, self.verified_in)

    async def check_spec(self) -> dict[str, Any]:
        """Return what Docker says of it, once that is what was asked for. Raises SandboxUnavailable."""
        watch = self.events.watch
        seen = await self.inspect()
        if wrong := container_spec.spec_drift(seen, self.image_id, self.host):
            raise SandboxUnavailable(
                f"the sandbox is not as it was made: {', '.join(wrong)} differ", "pratique doctor"
            )
        self.verified_in = watch
        return seen

    async def verify_image(self) -> None:
        """Check that its image still is what its name stands for. Raises SandboxUnavailable."""
        if (await self.daemon.call("inspect_image", self.image))["Id"] != self.image_id:
            raise SandboxUnavailable(f"image {self.image} was built anew", "pratique doctor")

    async def docker_usage(self) -> ResourceUsage | None:
        """Return what Docker says that it uses: slower than the control group, but from anywhere."""
        try:
            return usage_of(await self.daemon.call("stats", self.id, stream=False, one_shot=True))
        except (APIError, DockerUnreachable):
            return None

    def resize(self, limits: Limits) -> bool:
        """Set memory and CPU to what was granted; say whether they are."""
        if (limits.memory_mb, limits.cpus) == (self.limits.memory_mb, self.limits.cpus) and self.resized:
            return self.cgroup is None or self.cgroup.limited(limits.memory_mb * 2**20, limits.cpus)
        if self.cgroup is None or not self.cgroup.limit(limits.memory_mb * 2**20, limits.cpus):
            return False
        self.limits, self.resized = limits, True
        return True

    def pause(self, paused: bool) -> bool:
        """Stop or continue it from outside; say whether that could be done."""
        if self.cgroup is None or not self.cgroup.pause(paused):
            return False
        self.paused = paused
        return True

    async def send(self, data: bytes) -> None:
        """Write to the supervisor's standard input."""
        self.writer.write(data)
        await self.writer.drain()

    def output(self) -> AsyncIterator[tuple[Stream, bytes]]:
        """Return what the guest writes, until the stream ends."""
        return frames(self.reader)

    async def signal(self, name: str) -> None:
        """Send a signal to the supervisor, which passes it on."""
        with contextlib.suppress(APIError, DockerUnreachable):
            await self.daemon.call("kill", self.id, signal=name)

    def disconnect(self) -> None:
        """Cut the streams: the supervisor sees the end of its input and ends everything.

        It comes before any kill: an attached stream that nobody reads makes Docker's kill and wait hang.
        """
        if self.paused:
            self.pause(False)
        self.writer.transport.abort()

    async def destroy(self) -> bool:
        """Remove it, by Docker or, where Docker does not answer, by its processes; say whether it is gone."""
        self.disconnect()
        for attempt in range(_REMOVE_TRIES):
            if await remove(self.daemon, self.id):
                return True
            self.kill_processes()
            await asyncio.sleep(0.2 * 2**attempt)
        return False

    def kill_processes(self) -> None:
        """Kill its processes from this host, past a Docker that does not answer."""
        for pid in self.cgroup.pids() if self.cgroup else ():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


async def remove(daemon: DockerClient, container: str) -> bool:
    """Remove a container by force; True where it is gone."""
    try:
        await daemon.call("remove_container", container, force=True, v=True)
    except NotFound:
        return True
    except APIError as error:
        return "already in progress" in str(error) and await _vanished(daemon, container)
    except DockerUnreachable:
        return False
    return True


async def _vanished(daemon: DockerClient, container: str) -> bool:
    try:
        await daemon.call("inspect_container", container)
    except NotFound:
        return True
    except (APIError, DockerUnreachable):
        return False
    return False
