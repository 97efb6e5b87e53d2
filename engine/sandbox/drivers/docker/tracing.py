"""Makes gVisor report what happens in a container to the engine's listener.

It takes root on the machine of the containers: only root may ask a running sandbox of gVisor for its events.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import platform
import time
from pathlib import Path

from engine.models import Check
from engine.sandbox.drivers.docker.trace import Trace, Unobserved
from engine.sandbox.drivers.docker.trace_health import NAME, TraceRecord
from engine.sandbox.drivers.docker.trace_process import TraceProcess
from engine.sandbox.drivers.docker.trace_session import create_trace_session
from engine.sandbox.isolation.health import row
from engine.sandbox.observed.points import ARCHITECTURES, session

FIRST_READY_SECONDS = 5.0
"""How long the first listener is waited for. Later ones are not: a start takes no longer for their sake."""
_ATTACH_SECONDS = 5.0
_ROOT_OPTION = b"--root="


class Tracer:
    """Attaches the listener of one engine to its containers."""

    def __init__(self) -> None:
        self.process = TraceProcess()
        self.record = TraceRecord()
        self.started = False
        self._patient_until = 0.0
        """Until when the first listener is waited for, by the monotonic clock."""
        self._numbers = itertools.count(1)

    @property
    def impossible(self) -> str:
        """Why no container of this engine can be observed; empty: they can."""
        if os.geteuid() != 0:
            return "the engine is not root, as gVisor's events require"
        if platform.machine() not in ARCHITECTURES:
            return f"system calls of {platform.machine()} are not known"
        return ""

    def check(self) -> Check:
        """Return the row of Health about the listener."""
        if why := self.impossible:
            return row(NAME, True, f"not observed: {why}", "")
        return self.record.check(ready=self.process.ready.is_set())

    async def run(self) -> None:
        """Run the listener until it fails. Raises ListenerLost."""
        self._patient_until = 0.0 if self.started else time.monotonic() + FIRST_READY_SECONDS
        self.started = True
        try:
            await self.process.run()
        finally:
            self._patient_until = 0.0

    async def attach(self, container: str, pid: int) -> Trace | Unobserved:
        """Attach to a running container whose kernel is process `pid`; else return why that failed."""
        if why := self.impossible:
            return Unobserved(why)
        if not self.started:
            return Unobserved("no listener of effects was started")
        if not await self._is_ready():
            return Unobserved("the listener of effects was not ready", self.process.ready)
        try:
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError as error:
            return Unobserved(f"gVisor's events cannot be asked for: {error.strerror or error}")
        return await self._attach(container, arguments)

    async def _is_ready(self) -> bool:
        """Return whether there is a listener; while the first one is being started, wait for it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patient_until - time.monotonic()):
                await self.process.ready.wait()
        return self.process.ready.is_set()

    async def _attach(self, container: str, arguments: list[bytes]) -> Trace | Unobserved:
        root = next((one[len(_ROOT_OPTION) :] for one in arguments if one.startswith(_ROOT_OPTION)), b"")
        if not root or container.encode() not in arguments[-2:]:
            return Unobserved("its gVisor does not run on this machine")
        key = str(next(self._numbers))
        trace = Trace(self.process, key, self.record)
        why = await self._ask_for_events(trace, key, container, root.decode())
        if not why and (await trace.await_answer("attached", _ATTACH_SECONDS))["op"] != "attached":
            why = trace.lost
        if why:
            trace.close()
            return Unobserved(why, self.process.ready if trace.lost else None)
        return trace

    async def _ask_for_events(self, trace: Trace, key: str, container: str, root: str) -> str:
        """Let the listener and the container's kernel connect; return why not, or nothing."""
        if (await trace.ask("open", "opened", _ATTACH_SECONDS))["op"] != "opened":
            return trace.lost
        endpoint = str(self.process.folder / f"{key}.sock")
        wanted = (root, container, endpoint, session(endpoint), _ATTACH_SECONDS)
        try:
            return await asyncio.to_thread(create_trace_session, *wanted)
        except OSError as error:
            return f"gVisor's events cannot be asked for: {error.strerror or error}"
