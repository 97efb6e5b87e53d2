"""What breaks the console, and what is printed then: where, and nothing of what was in its variables."""

from __future__ import annotations

import sys
import traceback

from rich.segment import Segment, Segments
from textual.css.query import NoMatches
from textual.worker import WorkerFailed, get_current_worker

from engine.text import visible


def report() -> Segments:
    """Return the exception that is being handled, without local variables, made visible."""
    lines = traceback.format_exception(*sys.exc_info())
    text = visible("".join(lines[-6:]), keep="\n")
    words = "The console broke. The engine and its runs go on; start the console again.\n\n"
    return Segments([Segment(words + text + "\n")])


def too_late(error: Exception) -> bool:
    """Say whether a worker only looked for a part of a screen that was closed while it waited."""
    if not isinstance(error, WorkerFailed) or not isinstance(error.error, NoMatches):
        return False
    return not get_current_worker().node.display  # which no node is once it is taken away
