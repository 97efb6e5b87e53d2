"""The result of a run that never started."""

from __future__ import annotations

from engine.models import KillReason, Result


def result_not_started(runtime: str, reason: KillReason, why: str) -> Result:
    """Return the result of a run whose code never started."""
    return Result(
        exit_code=None,
        kill_reason=reason,
        evidence=(why,),
        duration=0.0,
        memory_peak=0,
        stdout_bytes=0,
        stderr_bytes=0,
        truncated=False,
        image_digest="",
        runtime=runtime,
    )
