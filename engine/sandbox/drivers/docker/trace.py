"""What the listener of effects tells about one container."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from engine.models.observed import Observation, ObservationStatus, ObservedEffect
from engine.models.snapshot import KernelSnapshot
from engine.sandbox.drivers.docker.trace_health import TraceRecord
from engine.sandbox.drivers.docker.trace_process import Answer, TraceProcess

_BEGIN_SECONDS = 1.0
_FINISH_SECONDS = 6.0
_LOOK_SECONDS = 3.0
_SILENT = "the listener of effects did not answer in time"
_ENDED = "the listener of effects ended"


@dataclass(frozen=True, slots=True)
class Unobserved:
    """Why the effects of a container are not observed."""

    why: str
    listener: asyncio.Event | None = None
    """Set once a new container would be observed; None: it would not be either."""


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

    @property
    def superseded(self) -> bool:
        """Whether nothing is observed any more, and another listener is there."""
        return bool(self._lost) and self._process.ready.is_set()

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
                async with asyncio.timeout(seconds):
                    found = await self._answers.get()
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
            async with asyncio.timeout(_LOOK_SECONDS):
                found = await waiting
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
