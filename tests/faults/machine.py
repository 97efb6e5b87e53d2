"""A machine whose sandboxes live in this process: a real backend over a driver that can fail on demand.

The guest speaks the real protocol and "runs" code by looking at it: code that contains `wait` prints `up` and
goes on until it is ended; any other prints a line and exits.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from engine.common.text import Untrusted
from engine.models import Check, IsolationProof, Limits, Stream
from engine.sandbox.api.driver import EndState, ResourceUsage, SandboxSpec, Streams
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.volumes import VolumeStore
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings

KERNEL = "4.4.0"
IMAGE = f"sha256:{'a' * 64}"
ENDED = b"0 0 0 0 0\nleft 0\n"


@dataclass
class Machine:
    """What runs, what ran, and what does not answer."""

    executed: Counter[bytes] = field(default_factory=Counter)
    """How often each code was started."""
    alive: dict[str, Guest] = field(default_factory=dict)
    """The sandboxes that exist."""
    hanging: bool = False
    """Whether the container runtime answers nothing, and passes on no end of a stream."""
    creates: bool = True
    """Whether a sandbox that is being created is there at once, or never."""
    creating: int = 0
    """How many sandboxes are being created."""
    paused: set[str] = field(default_factory=set)
    gone_at: dict[str, float] = field(default_factory=dict)
    """When each sandbox ended, by the monotonic clock."""

    async def answer(self) -> None:
        """Answer as the container runtime would."""
        while self.hanging:
            await asyncio.sleep(0.02)

    async def create(self) -> None:
        """Create a sandbox as the container runtime would."""
        self.creating += 1
        try:
            while not self.creates:
                await asyncio.sleep(0.02)
        finally:
            self.creating -= 1


@dataclass
class Guest:
    """One sandbox."""

    machine: Machine
    limits: Limits
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    image_digest: str = IMAGE
    runtime: str = "runsc"
    kernel: str = KERNEL
    created_at: float = field(default_factory=time.monotonic)
    paused: bool = False
    changed: bool = False
    startup_tasks: int = 1
    startup_cpu_seconds: float = 0.0
    effects: None = None
    unobserved: str = "nothing reports them"
    superseded: bool = False
    reported: bool = False
    """Whether its code has ended, and said so."""
    _received: bytearray = field(default_factory=bytearray)
    _output: asyncio.Queue[tuple[Stream, bytes] | None] = field(default_factory=asyncio.Queue)
    _nonce: bytes = b""

    @property
    def running(self) -> bool:
        """Whether it exists."""
        return self.id in self.machine.alive

    async def verify(self) -> None:
        """Check that it exists."""
        await self.machine.answer()
        if not self.running:
            raise SandboxUnavailable("the sandbox is gone")

    def break_stream(self) -> None:
        """Let the stream end as it does when the connection to the container runtime breaks."""
        self._output.put_nowait(None)

    async def send(self, data: bytes) -> None:
        """Take a part of a request; the last byte starts the code."""
        self._received += data
        head, newline, body = bytes(self._received).partition(b"\n")
        if not newline:
            return
        words = head.split()
        size, self._nonce = int(words[-2]), words[-1]
        if len(body) >= size:
            self._received.clear()
            self._start(body[-size:] if size else b"")

    def _start(self, code: bytes) -> None:
        self.machine.executed[code] += 1
        if b"wait" in code:
            self._output.put_nowait((Stream.STDOUT, b"up\n"))
        else:
            self._output.put_nowait((Stream.STDOUT, b"ran\n"))
            self._report()

    async def print(self, text: bytes) -> None:
        """Write to standard output."""
        self._output.put_nowait((Stream.STDOUT, text))

    def _report(self) -> None:
        self.reported = True
        mark = b"\0" + self._nonce
        self._output.put_nowait((Stream.STDERR, mark + b"\n"))
        self._output.put_nowait((Stream.STDOUT, mark + ENDED))

    async def output(self) -> AsyncGenerator[tuple[Stream, bytes], None]:
        """Yield what the guest writes, until it ends."""
        while (item := await self._output.get()) is not None:
            yield item

    async def signal(self, name: str) -> None:
        """End the code that runs."""
        await self.machine.answer()
        self._report()

    def pause(self, paused: bool) -> bool:
        """Pause or resume it."""
        self.paused = paused
        return True

    def resize(self, limits: Limits) -> bool:
        """Take other limits."""
        self.limits = limits
        return True

    def usage_now(self) -> ResourceUsage | None:
        """Return some use."""
        return ResourceUsage(0.1, 1 << 20, 1 << 20, 2, 0, 0)

    async def usage(self) -> ResourceUsage | None:
        """Return some use."""
        return self.usage_now()

    async def start_process(self, command: Sequence[str], *, guarded: bool = False) -> Streams:
        """Start nothing."""
        raise SandboxUnavailable("this machine starts no further process")

    async def interference(self, *, likely: bool) -> str:
        """Return nothing: nobody else is on this machine."""
        return ""

    async def end_state(self) -> EndState:
        """Return that it ended without a word."""
        return EndState(exit_code=137)

    def disconnect(self) -> None:
        """Cut its streams; a runtime that hangs does not pass that on."""
        self._output.put_nowait(None)
        if not self.machine.hanging:
            self.end()

    def kill_processes(self) -> None:
        """Kill it past the container runtime."""
        self._output.put_nowait(None)
        self.end()

    def end(self) -> None:
        """Let it be gone."""
        if self.machine.alive.pop(self.id, None):
            self.machine.gone_at[self.id] = time.monotonic()


@dataclass
class MachineDriver:
    """Creates sandboxes of a machine. Implements SandboxDriver."""

    machine: Machine
    runtime: str = "runsc"
    live_resize: bool = True
    image: str = IMAGE
    mounts_packages: bool = True

    @property
    def volumes(self) -> VolumeStore:
        """Return the volumes of sessions."""
        return MachineVolumes()  # type: ignore[return-value]

    async def start(self) -> None:
        """Start."""

    async def close(self) -> None:
        """Disconnect."""

    async def remove_all(self) -> None:
        """Remove every sandbox."""
        for guest in list(self.machine.alive.values()):
            guest.end()

    async def ping(self) -> None:
        """Answer."""
        await self.machine.answer()

    async def image_digest(self, image: str) -> str:
        """Return the digest of the only image."""
        await self.machine.answer()
        return self.image

    def known_image_digest(self, image: str) -> str | None:
        """Return nothing: it is asked each time."""
        return None

    async def probe(self, images: Sequence[str]) -> IsolationProof:
        """Report gVisor's kernel: nothing hostile ever runs on this machine."""
        return IsolationProof(
            isolated=True, runtime="runsc", kernel=Untrusted(KERNEL), detail=Untrusted("Starting gVisor...")
        )

    async def wait_full(self) -> None:
        """Wait forever: there is place for everything."""
        await asyncio.Event().wait()

    async def create(self, spec: SandboxSpec) -> Guest:
        """Create a sandbox."""
        await self.machine.answer()
        await self.machine.create()
        guest = Guest(self.machine, spec.limits, image_digest=self.image)
        self.machine.alive[guest.id] = guest
        return guest

    async def destroy(self, sandbox: object) -> bool:
        """Remove a sandbox."""
        assert isinstance(sandbox, Guest)
        sandbox.disconnect()
        await self.machine.answer()
        sandbox.end()
        return True

    async def end_frozen(self) -> None:
        """Leave nothing paused: it never is."""

    async def reap(self) -> None:
        """Remove what nobody owns."""

    async def checks(self, images: Sequence[str]) -> tuple[Check, ...]:
        """Return the row about the container runtime."""
        detail = "does not answer" if self.machine.hanging else "answers"
        return (Check(name="docker", ok=not self.machine.hanging, detail=Untrusted(detail), hint="-"),)


class MachineVolumes:
    """The volumes of sessions, which are empty."""

    def session_volume(self, session: str) -> str:
        """Return its name."""
        return session

    async def ensure(self, volume: str, image: str) -> None:
        """Create it."""

    async def discard(self, volume: str, tries: int = 1) -> bool:
        """Remove it."""
        return True

    async def prune(self, settings: object, used: set[str]) -> None:
        """Keep all."""


def machine_backend(
    machine: Machine, driver: MachineDriver | None = None, concurrent: int = 4
) -> SandboxManager:
    """Return the real backend over a machine of this process, for so many runs at once."""
    settings = SandboxSettings(pool=0, grace_seconds=0.2, concurrent=concurrent)
    return SandboxManager(settings, driver or MachineDriver(machine))
