"""An execution in a sandbox as lines, as simple sandbox servers answer: text, image, error, status."""

from __future__ import annotations

import codecs
import contextlib
from base64 import b64encode
from collections.abc import AsyncGenerator

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core import Engine
from engine.models import Case, Display, KillReason, Result, Status, Stream
from engine.models.api import Line
from engine.policy.output.agent_output import prepare_for_agent

MOST_HELD = 64 * 1024
"""Characters after which text goes on although its line, or its stream, has not ended."""
END_SECONDS = 60.0
"""How long the end of a run may take after its last output."""


async def lines(engine: Engine, id: str) -> AsyncGenerator[Line, None]:
    """Yield what an execution says, live and by whole lines with secrets masked, and last how it ended."""
    spoken = {stream: Spoken(stream) for stream in Stream}
    async with contextlib.aclosing(engine.queries.output(id)) as chunks:
        async for chunk in chunks:
            if text := spoken[chunk.stream].take(chunk.data):
                yield Line(text=text, stream=chunk.stream)
    for stream, one in spoken.items():
        if text := one.rest():
            yield Line(text=text, stream=stream)
    case = await engine.queries.finished(id, END_SECONDS)
    for display in case.result.displays if case.result else ():
        yield await _shown(engine, id, display)
    if error := error_of(case):
        yield Line(error=error)
    yield ended(case)


async def _shown(engine: Engine, id: str, display: Display) -> Line:
    """Return what a notebook showed: a picture in base64, or text, which is nobody's markup."""
    if display.digest is None:
        return Line(text=prepare_for_agent(display.text.text), mime=display.mime)
    try:
        content = await engine.artifacts.fetch(id, display.digest)
    except Problem as problem:
        return Line(error=problem.title)
    return Line(image=b64encode(content).decode(), mime=display.mime)


class Spoken:
    """The text of one stream, held until what an agent gets of it can be told.

    Standard output goes on line by line. Standard error is held to its end, or a bound: a traceback is
    shortened as a whole.
    """

    def __init__(self, stream: Stream) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._by_line = stream is Stream.STDOUT
        self._held = ""

    def take(self, data: bytes) -> str:
        """Return what may go on now that these bytes have come."""
        self._held += self._decoder.decode(data)
        if len(self._held) > MOST_HELD:
            return self._release(len(self._held))
        return self._release(self._held.rfind("\n") + 1) if self._by_line else ""

    def rest(self) -> str:
        """Return what is left at the end."""
        self._held += self._decoder.decode(b"", final=True)
        return self._release(len(self._held))

    def _release(self, end: int) -> str:
        text, self._held = self._held[:end], self._held[end:]
        return prepare_for_agent(text)


def ended(case: Case) -> Line:
    """Return the last line: where an execution stands."""
    result = case.result
    return Line(
        status=case.status.value,
        id=case.submission.id,
        exit_code=result.exit_code if result else None,
        seconds=result.duration if result else None,
    )


def error_of(case: Case) -> str:
    """Return why an execution did not do what was asked, in words; empty where it did."""
    if case.status in {Status.DENIED, Status.EXPIRED, Status.REFUSED}:
        reason = f": {visible(case.decision.reason)}" if case.decision and case.decision.reason else ""
        return f"{case.status.value}{reason}"
    return _ended_badly(case.result) if case.result else ""


def _ended_badly(result: Result) -> str:
    if result.kill_reason is not KillReason.NONE:
        return f"killed: {result.kill_reason.value} ({visible('; '.join(result.evidence))})"
    return f"exit code {result.exit_code}" if result.exit_code else ""
