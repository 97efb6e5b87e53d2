"""What breaks the console, and what is printed then: where, and nothing of what was in its variables."""

from __future__ import annotations

import sys
import traceback

from rich.segment import Segment, Segments
from textual._context import active_message_pump
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.worker import WorkerFailed, get_current_worker

from engine.common.text import visible


def report() -> Segments:
    """Return the exception that is being handled, without local variables, made visible."""
    lines = traceback.format_exception(*sys.exc_info())
    text = visible("".join(lines[-6:]), keep="\n")
    words = "The console broke. The engine and its runs go on; start the console again.\n\n"
    return Segments([Segment(words + text + "\n")])


def too_late(error: Exception) -> bool:
    """Say whether something only looked for a part of a screen that was closed by then."""
    node: object = active_message_pump.get(None)
    found: BaseException = error
    if isinstance(error, WorkerFailed):
        found, node = error.error, get_current_worker().node
    # No node is displayed once it is taken away.
    return _missed(found) and isinstance(node, DOMNode) and not node.display


def _missed(error: BaseException) -> bool:
    """Say whether something was looked for and not there, by one task or by all that broke in a group."""
    if isinstance(error, BaseExceptionGroup):
        return all(_missed(each) for each in error.exceptions)
    return isinstance(error, NoMatches)
