"""What a run is doing at one moment, from what is known outside of its sandbox: that is asked nothing."""

from __future__ import annotations

from engine.models.snapshot import RunSnapshot
from engine.sandbox.run.execution import Execution

_SILENT = "the listener of effects did not answer in time"


async def snapshot(execution: Execution) -> RunSnapshot:
    """Return the state of a run whose code was sent."""
    kernel = await execution.observer.look()
    lines = execution.lines.last
    unobserved = "" if kernel is not None else execution.observer.unobserved or _SILENT
    return RunSnapshot(
        at=round(execution.watch.seconds(), 3),
        paused=execution.watch.stopped,
        kernel=kernel,
        unobserved=unobserved,
        usage=execution.sampler.meters,
        output=execution.output.written,
        stack=lines.stack,
        stack_at=lines.asked_at,
    )
