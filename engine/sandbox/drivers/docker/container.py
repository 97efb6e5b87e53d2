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
from engine.sandbox.drivers.docker.docker_client import Daemon, DaemonLost
from engine.sandbox.drivers.docker.docker_stats import usage_of
from engine.sandbox.drivers.docker.event_monitor import Vigil
from engine.sandbox.drivers.linux.cgroup import Cgroup, Usage
from engine.sandbox.guest_protocol.framing import frames

_READY_SECONDS = 30.0
_READY = b"\0ready "
_REMOVE_TRIES = 6


@dataclass(slots=True)
class Box:
    """A sandbox whose interpreter waits for code."""

    daemon: Daemon
    id: str
    image: str
    """What it was asked for by."""
    image_id: str
    language: Language
    limits: Limits
    host: dict[str, Any]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    vigil: Vigil
    kernel: str = ""
    cgroup: Cgroup | None = None
    born: float = field(default_factory=time.monotonic)
    rest_tasks: int = 0
    """Tasks of the host before any code came."""
    rest_cpu: float = 0.0
    """Seconds of CPU that its start took, before any code came."""
    frozen: bool = False
    fitted: bool = False
    """Whether its memory and CPU are those of `limits`."""
    room: str = ""
    """Of one that stays: the name under which its packages lie."""
    found_right: int = 0
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
        seen: dict[str, Any] = await self.daemon.ask("inspect_container", self.id)
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
        raise DaemonLost("the stream to a running sandbox ended")

    async def verify(self) -> None:
        """Check that it still is what was asked for. Raises SandboxUnavailable.

        Docker is asked unless it was heard all along, and told nothing of it since it was last seen.
        """
        if self.broken:
            raise SandboxUnavailable("the stream to the sandbox is closed", "pratique doctor")
        if not self.vouched:
            await self.look()

    @property
    def broken(self) -> bool:
        """Whether its streams are known to be no more."""
        return self.reader.at_eof() or self.writer.is_closing()

    @property
    def touched(self) -> bool:
        """Whether somebody did something to it from outside, as far as Docker was heard."""
        return self.vigil.touched(self.id)

    @property
    def vouched(self) -> bool:
        """Whether nothing was told of it, nor of any image, since it was seen to be right."""
        return self.vigil.vouches(self.id, self.found_right)

    async def look(self) -> dict[str, Any]:
        """Return what Docker says of it, once that is what was asked for. Raises SandboxUnavailable."""
        watch = self.vigil.watch
        seen = await self.inspect()
        if wrong := container_spec.broken_promises(seen, self.image_id, self.host):
            raise SandboxUnavailable(
                f"the sandbox is not as it was made: {', '.join(wrong)} differ", "pratique doctor"
            )
        self.found_right = watch
        return seen

    async def verify_image(self) -> None:
        """Check that its image still is what its name stands for. Raises SandboxUnavailable."""
        if (await self.daemon.ask("inspect_image", self.image))["Id"] != self.image_id:
            raise SandboxUnavailable(f"image {self.image} was built anew", "pratique doctor")

    async def ask_usage(self) -> Usage | None:
        """Return what Docker says that it uses: slower than the control group, but from anywhere."""
        try:
            return usage_of(await self.daemon.ask("stats", self.id, stream=False, one_shot=True))
        except (APIError, DaemonLost):
            return None

    def fit(self, limits: Limits) -> bool:
        """Set memory and CPU to what was granted; say whether they are."""
        if (limits.memory_mb, limits.cpus) == (self.limits.memory_mb, self.limits.cpus) and self.fitted:
            return self.cgroup is None or self.cgroup.limited(limits.memory_mb * 2**20, limits.cpus)
        if self.cgroup is None or not self.cgroup.limit(limits.memory_mb * 2**20, limits.cpus):
            return False
        self.limits, self.fitted = limits, True
        return True

    def pause(self, frozen: bool) -> bool:
        """Stop or continue it from outside; say whether that could be done."""
        if self.cgroup is None or not self.cgroup.pause(frozen):
            return False
        self.frozen = frozen
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
        with contextlib.suppress(APIError, DaemonLost):
            await self.daemon.ask("kill", self.id, signal=name)

    def sever(self) -> None:
        """Cut the streams: the supervisor sees the end of its input and ends everything.

        It comes before any kill: an attached stream that nobody reads makes Docker's kill and wait hang.
        """
        if self.frozen:
            self.pause(False)
        self.writer.transport.abort()

    async def destroy(self) -> bool:
        """Remove it, by Docker or, where Docker does not answer, by its processes; say whether it is gone."""
        self.sever()
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


async def remove(daemon: Daemon, container: str) -> bool:
    """Remove a container by force; True where it is gone."""
    try:
        await daemon.ask("remove_container", container, force=True, v=True)
    except NotFound:
        return True
    except APIError as error:
        return "already in progress" in str(error) and await _vanished(daemon, container)
    except DaemonLost:
        return False
    return True


async def _vanished(daemon: Daemon, container: str) -> bool:
    try:
        await daemon.ask("inspect_container", container)
    except NotFound:
        return True
    except (APIError, DaemonLost):
        return False
    return False
