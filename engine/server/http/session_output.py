"""The output of an execution in a session as lines: text, image, error, status."""

from __future__ import annotations

import codecs
import contextlib
from base64 import b64encode
from collections.abc import AsyncGenerator

from engine.common.errors import Problem
from engine.common.presentation import describe_evidence
from engine.common.text import mark_hidden
from engine.core import Engine
from engine.models import NOT_RUN, Case, Display, KillReason, Result, Stream
from engine.models.api import OutputLine
from engine.policy.output.agent_output import prepare_for_agent
from engine.policy.output.masking.stream import MOST_SECRET, settled

MAX_BUFFER = 64 * 1024
"""Characters after which text is sent although its line, or its stream, has not ended."""
END_SECONDS = 60.0
"""How long the end of a run may take after its last output."""


async def output_lines(engine: Engine, id: str) -> AsyncGenerator[OutputLine, None]:
    """Yield the output of an execution by whole lines, secrets masked, and last its status."""
    buffers = {stream: LineBuffer(stream) for stream in Stream}
    async with contextlib.aclosing(engine.queries.output(id)) as chunks:
        async for chunk in chunks:
            if text := buffers[chunk.stream].feed(chunk.data):
                yield OutputLine(text=text, stream=chunk.stream)
    for stream, buffer in buffers.items():
        if text := buffer.flush():
            yield OutputLine(text=text, stream=stream)
    case = await engine.queries.finished(id, END_SECONDS)
    for display in case.result.displays if case.result else ():
        yield await _display_line(engine, id, display)
    if error := failure_reason(case):
        yield OutputLine(error=error)
    yield status_line(case)


async def _display_line(engine: Engine, id: str, display: Display) -> OutputLine:
    """Return a rich display as a line: an image in base64, or text, never markup."""
    if display.digest is None:
        return OutputLine(text=prepare_for_agent(display.text.text), mime=display.mime)
    try:
        content = await engine.artifacts.fetch(id, display.digest)
    except Problem as problem:
        return OutputLine(error=problem.title)
    return OutputLine(image=b64encode(content).decode(), mime=display.mime)


class LineBuffer:
    """The text of one stream, buffered until no secret in it may go on.

    Standard output is released line by line. Standard error is held to its end, or to the limit: a traceback
    is shortened as a whole.
    """

    def __init__(self, stream: Stream) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._by_line = stream is Stream.STDOUT
        self._buffer = ""

    def feed(self, data: bytes) -> str:
        """Add bytes and return the text that can be sent now."""
        self._buffer += self._decoder.decode(data)
        end = self._buffer.rfind("\n") + 1 if self._by_line else 0
        if len(self._buffer) > MAX_BUFFER:
            end = max(end, len(self._buffer) - MOST_SECRET)
        return self._release(settled(self._buffer, end)) if end else ""

    def flush(self) -> str:
        """Return the rest at the end of the stream."""
        self._buffer += self._decoder.decode(b"", final=True)
        return self._release(len(self._buffer))

    def _release(self, end: int) -> str:
        text, self._buffer = self._buffer[:end], self._buffer[end:]
        return prepare_for_agent(text)


def status_line(case: Case) -> OutputLine:
    """Return the last line: the status of an execution."""
    result = case.result
    return OutputLine(
        status=case.status.value,
        id=case.submission.id,
        exit_code=result.exit_code if result else None,
        seconds=result.duration if result else None,
    )


def failure_reason(case: Case) -> str:
    """Return why an execution failed; empty if it succeeded."""
    if case.status in NOT_RUN:
        reason = f": {mark_hidden(case.decision.reason)}" if case.decision and case.decision.reason else ""
        return f"{case.status.value}{reason}"
    return _run_failure(case.result) if case.result else ""


def _run_failure(result: Result) -> str:
    ended_well = result.kill_reason is KillReason.NONE and not result.exit_code
    return "" if ended_well else describe_evidence(result)
