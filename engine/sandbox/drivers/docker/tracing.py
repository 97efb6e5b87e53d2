"""Makes gVisor report what happens in a container to the engine's listener.

It takes root on the machine of the containers: only root may ask a running sandbox of gVisor for its events.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import platform
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

from engine.models import Check
from engine.models.observed import Observation, ObservationStatus, ObservedEffect
from engine.models.snapshot import KernelSnapshot
from engine.sandbox.drivers.docker.trace_health import NAME, TraceRecord
from engine.sandbox.drivers.docker.trace_process import Answer, TraceProcess
from engine.sandbox.drivers.linux.send_buffer import enlarge_send_buffer
from engine.sandbox.isolation.health import row
from engine.sandbox.observed.points import ARCHITECTURES, session

_READY_SECONDS = 5.0
_ATTACH_SECONDS = 5.0
_BEGIN_SECONDS = 1.0
_FINISH_SECONDS = 6.0
_LOOK_SECONDS = 3.0
_ROOT_OPTION = b"--root="
_SILENT = "the listener of effects did not answer in time"
_ENDED = "the listener of effects ended"


class Trace:
    """The observed effects of one container."""

    def __init__(self, process: TraceProcess, key: str, record: TraceRecord) -> None:
        self._process = process
        self._key = key
        self._record = record
        self._lost = ""
        self._answers: asyncio.Queue[Answer] = asyncio.Queue()
        self._effects: asyncio.Queue[tuple[ObservedEffect, ...] | None] = asyncio.Queue()
        self._looks: list[asyncio.Future[Answer]] = []
        process.subscribe(key, self._take)

    @property
    def lost(self) -> str:
        """Why nothing is observed any more; empty while it is."""
        return self._lost

    def _take(self, answer: Answer) -> None:
        if answer["op"] == "effects":
            self._effects.put_nowait(tuple(map(ObservedEffect.model_validate, answer["effects"])))
            return
        if answer["op"] == "looked":
            self._looked(answer)
            return
        if answer["op"] == "lost":
            self._looked(answer)
            self._lose(_ENDED)
            self._effects.put_nowait(None)
        self._answers.put_nowait(answer)

    def _lose(self, why: str) -> None:
        if not self._lost:
            self._lost = why
            self._record.lost(why)

    async def ask(self, command: str, answer: str, seconds: float, **fields: object) -> Answer:
        """Send a command and return its answer; after a time-out, or without a listener, `lost` says why."""
        if self._lost:
            return {"op": "lost"}
        self._process.send({"op": command, "key": self._key, **fields})
        return await self.await_answer(answer, seconds)

    async def await_answer(self, answer: str, seconds: float) -> Answer:
        """Return the next answer of this kind; a listener that says nothing is lost, and is replaced."""
        found: Answer = {"op": ""}
        try:
            while found["op"] not in {answer, "lost"}:
                found = await asyncio.wait_for(self._answers.get(), seconds)
        except TimeoutError:
            self._lose(_SILENT)
            self._process.kill()
            return {"op": "lost"}
        self._lost = self._lost or str(found.get("lost", ""))
        return found

    def _looked(self, answer: Answer) -> None:
        for waiting in self._looks:
            if not waiting.done():
                waiting.set_result(answer)
        self._looks.clear()

    async def look(self) -> KernelSnapshot | None:
        """Return what is the case now; None where the listener does not say so in time."""
        if self._lost:
            return None
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._looks.append(waiting)
        self._process.send({"op": "look", "key": self._key})
        try:
            found = await asyncio.wait_for(waiting, _LOOK_SECONDS)
        except TimeoutError:
            return None
        return KernelSnapshot.model_validate(found["seen"]) if "seen" in found else None

    async def begin(self, *, helpers: bool) -> None:
        """Forget what was observed so far."""
        await self.ask("begin", "began", _BEGIN_SECONDS, helpers=helpers)
        while not self._effects.empty():
            self._effects.get_nowait()

    async def effects(self) -> AsyncGenerator[tuple[ObservedEffect, ...], None]:
        """Yield new and changed effects, until `finish`."""
        while (batch := await self._effects.get()) is not None:
            yield batch

    async def finish(self, *, ends: bool) -> Observation:
        """Return what is known about the effects as a whole."""
        found = await self.ask("finish", "finished", _FINISH_SECONDS, ends=ends)
        self._effects.put_nowait(None)
        if found["op"] != "finished" or self._lost:
            return Observation(status=ObservationStatus.INCOMPLETE, reasons=(self._lost or _ENDED,))
        observation = _observation(found)
        self._record.observed(observation)
        return observation

    def close(self) -> None:
        """Stop listening to the container."""
        self._process.send({"op": "close", "key": self._key})
        self._process.unsubscribe(self._key)


def _observation(found: Answer) -> Observation:
    reasons = [str(one) for one in found["reasons"]]
    if found["dropped"]:
        reasons.append(f"{found['dropped']:,} events were dropped")
    if found["unreadable"]:
        dropped = ", or were dropped" if found["dropped"] else ""
        reasons.append(
            f"{found['unreadable']:,} events had names that are not UTF-8, and were withheld{dropped}"
        )
    status = ObservationStatus.INCOMPLETE if reasons else ObservationStatus.COMPLETE
    figures = {name: found[name] for name in ("events", "dropped", "unreadable", "omitted", "counts")}
    return Observation(status=status, reasons=tuple(reasons), **figures)


class Tracer:
    """Attaches the listener of one engine to its containers."""

    def __init__(self) -> None:
        self.process = TraceProcess()
        self.record = TraceRecord()
        self.started = False
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
        self.started = True
        await self.process.run()

    async def attach(self, container: str, pid: int) -> Trace | str:
        """Attach to a running container whose kernel is process `pid`; else return why that failed."""
        if why := self.impossible:
            return why
        if not self.started:
            return "no listener of effects was started"
        try:
            await asyncio.wait_for(self.process.ready.wait(), _READY_SECONDS)
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            return await self._attach(container, pid, arguments)
        except TimeoutError:
            return "the listener of effects does not start"
        except OSError as error:
            return f"gVisor's events cannot be asked for: {error.strerror or error}"

    async def _attach(self, container: str, pid: int, arguments: list[bytes]) -> Trace | str:
        root = next((one[len(_ROOT_OPTION) :] for one in arguments if one.startswith(_ROOT_OPTION)), b"")
        if not root or container.encode() not in arguments[-2:]:
            return "its gVisor does not run on this machine"
        key = str(next(self._numbers))
        trace = Trace(self.process, key, self.record)
        opened = await trace.ask("open", "opened", _ATTACH_SECONDS)
        why = "" if opened["op"] == "opened" else trace.lost
        why = why or await self._create(container, root.decode(), key)
        if not why and (await trace.await_answer("attached", _ATTACH_SECONDS))["op"] != "attached":
            why = trace.lost
        if why:
            trace.close()
            return why
        endpoint = self._endpoint(key)
        with contextlib.suppress(OSError):
            await asyncio.to_thread(enlarge_send_buffer, pid, endpoint)
        return trace

    def _endpoint(self, key: str) -> str:
        return str(self.process.folder / f"{key}.sock")

    async def _create(self, container: str, root: str, key: str) -> str:
        """Ask the container's kernel for its events; return why it refused, or nothing."""
        file = self.process.folder / f"{key}.json"
        file.write_text(session(self._endpoint(key)))
        command = (shutil.which("runsc") or "runsc", f"--root={root}", "trace", "create", "--config")
        process = await asyncio.create_subprocess_exec(
            *command,
            str(file),
            container,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, said = await asyncio.wait_for(process.communicate(), _ATTACH_SECONDS)
        except TimeoutError:
            return "gVisor did not answer in time when asked for its events"
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            file.unlink(missing_ok=True)
        return f"gVisor refused: {said.decode(errors='replace').strip()[-200:]}" if process.returncode else ""
