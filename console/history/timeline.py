"""The timeline of a submission: each step as a sentence, its actor, and the time since the previous step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from console.safety.text import Part, clip, pad
from console.widgets.formatting import bar, lasted
from engine.history.search.sentences import sentence, steps
from engine.models import Event

ACTOR, TIME, CELLS = 14, 10, 6
LEAST = 20
"""Cells of a sentence at least."""


def timeline_lines(events: Sequence[Event], width: int) -> list[list[Part]]:
    """Return a line for each step; the bar is its time relative to the longest step."""
    listed = list(steps(events))
    if not listed:
        return [[("No events.", "muted")]]
    times = [later.at - earlier.at for earlier, later in zip(listed[:1] + listed, listed, strict=False)]
    longest = max(*times, timedelta(microseconds=1))
    room = max(LEAST, width - ACTOR - 2 * TIME - CELLS - 6)
    return [
        line
        for step, time in zip(listed, times, strict=True)
        for line in _step_lines(step, step.at - listed[0].at, time, time / longest, room, width)
    ]


def _step_lines(
    step: Event, since: timedelta, time: timedelta, share: float, space: int, width: int
) -> list[list[Part]]:
    """Return the line of a step; details that have no space in it come below it."""
    told = sentence(step)
    what, _, more = (told, "", "") if clip(told, space) == told else told.partition(": ")
    line: list[Part] = [
        (f"{_since(since):>{TIME}} ", "muted"), (pad(what, space), "bold primary"), " ",
        pad(step.actor, ACTOR), " ", *bar(share, CELLS, _style_name(share)),
        (f" {lasted(time.total_seconds())}" if time else "", "muted"),
    ]  # fmt: skip
    return [line, [(" " * (TIME + 1), "muted"), clip(more, max(LEAST, width - TIME - 1))]] if more else [line]


def _since(time: timedelta) -> str:
    return f"+{lasted(time.total_seconds())}"


def _style_name(share: float) -> str:
    return "warning" if share > 0.5 else "primary"
