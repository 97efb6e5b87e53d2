"""How runs stand or ended, in words."""

from __future__ import annotations

from console.safety.text import Part
from console.widgets.formatting import lasted, size
from engine.common.plural import many
from engine.models import Case, Status


def told(case: Case) -> list[Part]:
    """Return how a run stands or ended, with its evidence."""
    result = case.result
    if result is None:
        return [(case.status.value, "bold success" if case.status is Status.RUNNING else "bold muted")]
    if result.kill_reason.value != "none":
        parts: list[Part] = [(f"killed: {result.kill_reason.value}", "bold error")]
        if result.evidence:
            parts.append((f"  {'; '.join(result.evidence)}", "muted"))
    else:
        style = "bold success" if result.exit_code == 0 else "bold warning"
        parts = [(f"exit {result.exit_code}", style)]
    parts.append((f"  {lasted(result.duration)}, peak {size(result.memory_peak)}", "muted"))
    if left := len(result.artifacts) + len(result.displays):
        parts.append((f"  left {many(left, 'thing')}", "primary"))
    if result.truncated:
        parts.append(("  output cut at its limit", "warning"))
    return parts
