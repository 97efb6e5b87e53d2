"""The status and the outcome of runs, in words."""

from __future__ import annotations

from console.safety.text import Part
from console.widgets.formatting import lasted, size
from engine.common.presentation import describe_result
from engine.common.text import many
from engine.models import Case, KillReason, Result, Status, Summary

STATUS_STYLES = {
    Status.RUNNING: "success",
    Status.PENDING: "accent",
    Status.EXPIRED: "warning",
    Status.DENIED: "error",
    Status.CHANGES_REQUESTED: "warning",
    Status.REFUSED: "error",
}


def outcome(run: Summary) -> tuple[str, str]:
    """Return the outcome of a submission, or its status while it has none, and the style."""
    if run.status is Status.KILLED:
        return describe_result(run), "error"
    if run.status is Status.FINISHED:
        return (
            f"{describe_result(run)} in {lasted(run.duration)}",
            "muted" if run.exit_code == 0 else "warning",
        )
    return run.status.value, STATUS_STYLES.get(run.status, "muted")


def case_outcome(case: Case) -> tuple[str, str]:
    """Return the outcome of a case, or its status while it has none, and the style."""
    result = case.result
    if case.status is Status.KILLED and result is not None:
        return describe_result(result), "error"
    if case.status is Status.FINISHED and result is not None:
        return describe_result(result), "foreground" if result.exit_code == 0 else "warning"
    return case.status.value, "foreground"


def outcome_line(case: Case) -> list[Part]:
    """Return the outcome of a run with its evidence, or its status, as one line."""
    result = case.result
    if result is None:
        return [(case.status.value, "bold success" if case.status is Status.RUNNING else "bold muted")]
    if result.kill_reason is not KillReason.NONE:
        parts: list[Part] = [(describe_result(result), "bold error")]
        if result.evidence:
            parts.append((f"  {'; '.join(result.evidence)}", "muted"))
    else:
        parts = [(describe_result(result), "bold success" if result.exit_code == 0 else "bold warning")]
    parts.append((f"  {lasted(result.duration)}, peak {size(result.memory_peak)}", "muted"))
    if count := len(result.artifacts) + len(result.displays):
        parts.append((f"  {many(count, 'artifact')}", "primary"))
    if result.truncated:
        parts.append(("  output cut at its limit", "warning"))
    return parts


def has_artifacts(result: Result | None) -> bool:
    """Return whether a run left files or displayed something."""
    return result is not None and bool(result.artifacts or result.displays)
