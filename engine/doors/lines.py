"""An execution in a sandbox as lines, as simple sandbox servers answer: text, image, error, status."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import AsyncGenerator

from engine.doors.wire import Line
from engine.models import Case, KillReason, Result, Status, Stream
from engine.service import Engine
from engine.text import visible

END_SECONDS = 60.0
"""How long the end of a run may take after its last output."""


async def lines(engine: Engine, id: str) -> AsyncGenerator[Line, None]:
    """Yield what an execution says, live, and last how it ended."""
    decoders = {stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in Stream}
    async with contextlib.aclosing(engine.output(id)) as chunks:
        async for chunk in chunks:
            if text := decoders[chunk.stream].decode(chunk.data):
                yield Line(text=text, stream=chunk.stream)
    for stream, decoder in decoders.items():
        if text := decoder.decode(b"", final=True):
            yield Line(text=text, stream=stream)
    case = await engine.over(id, END_SECONDS)
    if error := error_of(case):
        yield Line(error=error)
    yield ended(case)


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
