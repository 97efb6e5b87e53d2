"""One Pod, from its creation to its removal. Used by one run or one session, never by two."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.models import Limits, Stream
from engine.sandbox.api.driver import EndState, ResourceUsage, Streams
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.drivers.kubernetes import pod_spec, pod_status
from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from engine.sandbox.drivers.kubernetes.guest_meter import MOST_LINE, PROGRAM, reading
from engine.sandbox.drivers.kubernetes.patience import PATIENCE_SECONDS
from engine.sandbox.drivers.kubernetes.pod_drift import drift
from engine.sandbox.drivers.kubernetes.pod_stream import PodStream
from engine.sandbox.drivers.kubernetes.pods import Pods

_READY_SECONDS = 30.0
_READY = b"\0ready "
_END_SECONDS = 10.0
"""How long the node may take to report an end: it looks once a second."""
_METER_SECONDS = 5.0
_SIGNALS = frozenset({"TERM", "INT"})
_SUPERVISOR_USER, _PROGRAM_USER = 1001, 1000
_BECOME = r"""
my $user = shift @ARGV;
use Config;
my ( $users, $groups ) = $Config{archname} =~ /^x86_64/ ? ( 117, 119 ) : ( 147, 149 );
$) = '1000 1000';
syscall( $groups, 1000, 1000, 1000 ) and exit 1;
syscall( $users, $user + 0, 1000, $user + 0 ) and exit 1;
exit 1 if $< != $user || $> != 1000;
exec { $ARGV[0] } @ARGV or exit 127;
"""
"""A command in a Pod starts as the Pod's first user, root, and cannot name another."""


@dataclass(slots=True)
class SandboxPod:
    """A sandbox whose interpreter waits for code."""

    client: ApiClient
    pods: Pods
    id: str
    image_digest: str
    limits: Limits
    manifest: dict[str, Any]
    stream: PodStream
    startup_tasks: int
    """Its supervisor and its interpreter."""
    runtime: str
    kernel: str = ""
    created_at: float = field(default_factory=time.monotonic)
    startup_cpu_seconds: float = 0.0
    paused: bool = False
    changed: bool = False
    effects: None = None
    unobserved: str = "the kernels of sandboxes on Kubernetes report to nobody"
    superseded: bool = False
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    """What goes on beside the program."""
    _usage: ResourceUsage | None = None
    _metering: asyncio.Task[None] | None = None
    _measured: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait_ready(self) -> None:
        """Ask whether the interpreter is ready, and note the kernel it sees. Raises SandboxUnavailable."""
        received = b""
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(_READY_SECONDS):
                await self.stream.send(b"\n")
                async with contextlib.aclosing(self.stream.output()) as output:
                    async for stream, data in output:
                        received += data if stream is Stream.STDOUT else b""
                        if b"\n" in received or len(received) > 1024:
                            break
        if not received.startswith(_READY):
            raise SandboxUnavailable(
                f"the interpreter of image {self.image_digest[:19]} does not start", "kubectl describe pod"
            )
        self.kernel = received[len(_READY) :].decode("ascii", "replace").strip()

    async def verify(self) -> None:
        """Check that it still matches its manifest. Raises SandboxUnavailable."""
        if self.stream.closed:
            raise SandboxUnavailable("the stream to the sandbox is closed", "pratique doctor")
        self.check(await self.pods.get(self.id))

    def check(self, seen: dict[str, Any] | None) -> None:
        """Check what the API server describes. Raises SandboxUnavailable."""
        differs = drift(seen, self.manifest) if seen else ("it is gone",)
        if differs:
            raise SandboxUnavailable(
                f"the sandbox differs from its specification: {', '.join(differs)}", "pratique doctor"
            )

    async def send(self, data: bytes) -> None:
        """Write to the supervisor's standard input. Raises ConnectionError."""
        await self.stream.send(data)

    def output(self) -> AsyncGenerator[tuple[Stream, bytes], None]:
        """Return what the guest writes, until the stream ends."""
        return self.stream.output()

    async def signal(self, name: str) -> None:
        """Send a signal to the supervisor, which passes it on."""
        assert name in _SIGNALS  # noqa: S101
        with contextlib.suppress(SandboxUnavailable):
            command = ["/usr/bin/perl", "-e", f"kill '{name}', 1"]
            stream = await self._execute(command, _SUPERVISOR_USER, patience=0)
            try:
                async for _ in stream.output():
                    pass
            finally:
                stream.abort()

    def pause(self, paused: bool) -> bool:
        """Return whether it is as asked: nothing in the API of Kubernetes pauses a Pod."""
        return not paused

    def resize(self, limits: Limits) -> bool:
        """Return whether these limits are in force: those of a Pod of gVisor cannot be changed."""
        return (limits.memory_mb, limits.cpus) == (self.limits.memory_mb, self.limits.cpus)

    def usage_now(self) -> ResourceUsage | None:
        """Return the last reading."""
        return self._usage

    async def usage(self) -> ResourceUsage | None:
        """Return the last reading; the first call starts a process in the sandbox that reads."""
        if self._metering is None:
            self._metering = asyncio.create_task(self._measure())
            self.tasks.add(self._metering)
        if self._usage is None and not self._metering.done():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_METER_SECONDS):
                    await self._measured.wait()
        return self._usage

    async def _measure(self) -> None:
        try:
            stream = await self._execute(["/usr/bin/perl", "-e", PROGRAM], _SUPERVISOR_USER)
            try:
                await self._follow_meter(stream)
            finally:
                stream.abort()
        except SandboxUnavailable:
            return
        finally:
            self._measured.set()

    async def _follow_meter(self, stream: PodStream) -> None:
        line = b""
        async for kind, data in stream.output():
            *lines, line = (line + (data if kind is Stream.STDOUT else b"")).split(b"\n")
            self._take(lines)
            if len(line) > MOST_LINE:
                return

    def _take(self, lines: list[bytes]) -> None:
        for line in lines:
            if usage := reading(line, self._usage.memory_peak if self._usage else 0):
                self._usage = usage
                self._measured.set()

    async def start_process(self, command: Sequence[str], *, guarded: bool = False) -> Streams:
        """Start a command beside the program, and connect to it. Raises SandboxUnavailable."""
        stream = await self._execute(command, _SUPERVISOR_USER if guarded else _PROGRAM_USER)
        return await stream.as_streams(self.tasks)

    async def _execute(
        self, command: Sequence[str], user: int, patience: float = PATIENCE_SECONDS
    ) -> PodStream:
        words = ["/usr/bin/perl", "-e", _BECOME, "--", str(user), *command]
        query = [("container", pod_spec.CONTAINER), *(("command", word) for word in words)]
        return await self.client.connect(self.id, "exec", query, patience=patience)

    async def interference(self, *, likely: bool) -> str:
        """Return nothing: a Pod that others delete ends without a report."""
        return ""

    async def end_state(self) -> EndState:
        """Return how it ended, once it has, by the cluster's own evidence."""
        try:
            pod = await self.pods.wait(
                self.id, lambda seen: seen is None or pod_status.has_ended(seen), _END_SECONDS
            )
        except SandboxUnavailable as error:
            return EndState(runtime_lost=True, reported=str(error))
        if pod is None:
            return EndState(reported="the Pod was removed by somebody else")
        if not pod_status.has_ended(pod):
            return EndState(runtime_lost=True, reported="the stream to a Pod that still runs ended")
        return pod_status.end_state(pod)

    def disconnect(self) -> None:
        """Cut the streams: the supervisor sees the end of its input and ends everything."""
        self.stream.abort()

    def kill_processes(self) -> None:
        """Do nothing: only its node can, which removes it."""

    async def destroy(self) -> bool:
        """Remove it; return whether it is gone."""
        self.disconnect()
        for task in tuple(self.tasks):
            task.cancel()
        return await self.pods.remove(self.id)
