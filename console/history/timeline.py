"""The timeline of a submission: each step, its actor, and the time since the previous step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from console.safety.text import Part, pad
from console.widgets.formatting import bar, lasted
from engine.models import Event

QUIET = frozenset({"run.meters", "run.output", "history.viewed"})
"""Events that are not steps."""
STEP, ACTOR, TIME = 23, 14, 10


def timeline_lines(events: Sequence[Event], width: int) -> list[list[Part]]:
    """Return a line for each step; the bar is its time relative to the longest step."""
    steps = [event for event in events if event.type not in QUIET]
    if not steps:
        return [[("No events.", "muted")]]
    times = [later.at - earlier.at for earlier, later in zip(steps[:1] + steps, steps, strict=False)]
    longest = max(*times, timedelta(microseconds=1))
    cells = max(4, width - STEP - ACTOR - 2 * TIME - 6)
    return [
        [(f"{_since(step.at - steps[0].at):>{TIME}} ", "muted"), (pad(step.type, STEP), "bold primary"), " ",
         pad(step.actor, ACTOR), " ", *bar(time / longest, cells, _style_name(time / longest)),
         (f" {lasted(time.total_seconds()) if time else ''}", "muted")]
        for step, time in zip(steps, times, strict=True)
    ]  # fmt: skip


def _since(time: timedelta) -> str:
    return f"+{lasted(time.total_seconds())}"


def _style_name(share: float) -> str:
    return "warning" if share > 0.5 else "primary"
