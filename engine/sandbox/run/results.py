"""What is reported about a run that had a sandbox."""

from __future__ import annotations

import time

from engine.models import KillReason, Result, Stream
from engine.sandbox.api.driver import ResourceUsage, Sandbox
from engine.sandbox.api.run_events import SandboxAcquired
from engine.sandbox.run.output import OutputFollower


def build_result(
    sandbox: Sandbox,
    output: OutputFollower,
    usage: ResourceUsage | None,
    exit_code: int | None,
    reason: KillReason,
    evidence: tuple[str, ...],
) -> Result:
    """Return the result of a run."""
    return Result(
        exit_code=exit_code,
        kill_reason=reason,
        evidence=evidence,
        duration=(output.ended or time.monotonic()) - output.began,
        first_byte=output.first_byte,
        memory_peak=usage.memory_peak if usage else 0,
        cpu_seconds=max(0.0, usage.cpu_seconds - sandbox.startup_cpu_seconds) if usage else 0.0,
        stdout_bytes=output.kept[Stream.STDOUT],
        stderr_bytes=output.kept[Stream.STDERR],
        truncated=output.truncated,
        image_digest=sandbox.image_digest,
        runtime=sandbox.runtime,
    )


def acquired(sandbox: Sandbox, began: float, session: str = "") -> SandboxAcquired:
    """Return the event for a sandbox that was asked for at `began`."""
    return SandboxAcquired(
        sandbox=sandbox.id,
        image=sandbox.image_digest,
        kernel=sandbox.kernel,
        runtime=sandbox.runtime,
        session=session,
        warm=sandbox.created_at < began,
    )
