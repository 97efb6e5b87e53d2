"""The envelope of a run: what it did, in one record."""

from __future__ import annotations

import time

from engine.models import KillReason, Result, Stream
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.linux.cgroup import ResourceUsage
from engine.sandbox.run.output import OutputFollower


def build_result(
    container: Container,
    output: OutputFollower,
    usage: ResourceUsage | None,
    exit_code: int | None,
    reason: KillReason,
    said: tuple[str, ...],
) -> Result:
    """Return the envelope of a run that had a sandbox."""
    return Result(
        exit_code=exit_code,
        kill_reason=reason,
        evidence=said,
        duration=(output.ended or time.monotonic()) - output.began,
        first_byte=output.first_byte,
        memory_peak=usage.memory_peak if usage else 0,
        cpu_seconds=max(0.0, usage.cpu_seconds - container.rest_cpu) if usage else 0.0,
        stdout_bytes=output.kept[Stream.STDOUT],
        stderr_bytes=output.kept[Stream.STDERR],
        truncated=output.truncated,
        image_digest=container.image_id,
        runtime=str(container.host["Runtime"]),
    )


def result_not_started(runtime: str, reason: KillReason, why: str) -> Result:
    """Return the envelope of a run whose code went nowhere."""
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
