"""The status and the outcome of runs, in words."""

from __future__ import annotations

from console.safety.text import Part
from console.widgets.formatting import lasted, size
from engine.common.text import many
from engine.models import Case, KillReason, Result, Status, Summary

STATUS_STYLES = {
    Status.RUNNING: "success",
    Status.PENDING: "accent",
    Status.EXPIRED: "warning",
    Status.DENIED: "error",
    Status.REFUSED: "error",
}


def outcome(run: Summary) -> tuple[str, str]:
    """Return the outcome of a submission, or its status while it has none, and the style."""
    if run.status is Status.KILLED and run.kill_reason is not None:
        return _killed(run.kill_reason), "error"
    if run.status is Status.FINISHED:
        code = run.exit_code if run.exit_code is not None else "?"
        return f"exit {code} in {lasted(run.duration)}", "muted" if run.exit_code == 0 else "warning"
    return run.status.value, STATUS_STYLES.get(run.status, "muted")


def case_outcome(case: Case) -> tuple[str, str]:
    """Return the outcome of a case, or its status while it has none, and the style."""
    result = case.result
    if case.status is Status.KILLED and result is not None:
        return _killed(result.kill_reason), "error"
    if case.status is Status.FINISHED and result is not None:
        return f"exit {result.exit_code}", "foreground" if result.exit_code == 0 else "warning"
    return case.status.value, "foreground"


def outcome_line(case: Case) -> list[Part]:
    """Return the outcome of a run with its evidence, or its status, as one line."""
    result = case.result
    if result is None:
        return [(case.status.value, "bold success" if case.status is Status.RUNNING else "bold muted")]
    if result.kill_reason is not KillReason.NONE:
        parts: list[Part] = [(_killed(result.kill_reason), "bold error")]
        if result.evidence:
            parts.append((f"  {'; '.join(result.evidence)}", "muted"))
    else:
        parts = [(f"exit {result.exit_code}", "bold success" if result.exit_code == 0 else "bold warning")]
    parts.append((f"  {lasted(result.duration)}, peak {size(result.memory_peak)}", "muted"))
    if count := len(result.artifacts) + len(result.displays):
        parts.append((f"  {many(count, 'artifact')}", "primary"))
    if result.truncated:
        parts.append(("  output cut at its limit", "warning"))
    return parts


def has_artifacts(result: Result | None) -> bool:
    """Return whether a run left files or displayed something."""
    return result is not None and bool(result.artifacts or result.displays)


def _killed(reason: KillReason) -> str:
    return f"killed: {reason.value}"
