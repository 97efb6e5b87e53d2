"""Finds the expected value in a finished run's output, and checks the assertion about it."""

from __future__ import annotations

import contextlib

from engine.common.text import Untrusted
from engine.core.runs.run_stream import RunStream
from engine.models import Case, KillReason, Result, Stream
from engine.policy.output.agent_output import check_output
from engine.policy.output.extraction import MOST

MOST_VALUE = 64 * 1024
"""A longer value is not included in the result."""


async def validate_output(case: Case, result: Result, stream: RunStream) -> Result:
    """Return a result with the expected value and the outcome of the assertion."""
    draft = case.submission.draft
    if not draft.expect and not draft.verify:
        return result
    finals = tuple(one.text.text for one in result.displays if one.final)
    texts = (*finals, await _stdout(stream))
    well = result.exit_code == 0 and result.kill_reason is KillReason.NONE and not result.truncated
    found = check_output(texts, draft.expect, draft.verify, ended_well=well)
    fits = found.value is None or len(found.value) <= MOST_VALUE
    return result.with_value(
        Untrusted(found.value) if found.value is not None and fits else None,
        found.verified,
        Untrusted(found.why if fits else "the value is too long to include in the result"),
    )


async def _stdout(stream: RunStream) -> str:
    """Return the standard output of a finished run, up to slightly more than the limit."""
    stdout = bytearray()
    async with contextlib.aclosing(stream.output()) as chunks:
        async for chunk in chunks:
            stdout += chunk.data if chunk.stream is Stream.STDOUT else b""
            if len(stdout) > 4 * MOST:
                break
    return stdout.decode("utf-8", "replace")
