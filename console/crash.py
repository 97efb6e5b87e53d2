"""What is printed when the console itself breaks: where, and nothing of what was in its variables."""

from __future__ import annotations

import sys
import traceback

from rich.segment import Segment, Segments

from engine.text import visible


def report() -> Segments:
    """Return the exception that is being handled, without local variables, made visible."""
    lines = traceback.format_exception(*sys.exc_info())
    text = visible("".join(lines[-6:]), keep="\n")
    words = "The console broke. The engine and its runs go on; start the console again.\n\n"
    return Segments([Segment(words + text + "\n")])
