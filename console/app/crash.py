"""The report of a crash: the traceback without the values of variables, which may hold secrets."""

from __future__ import annotations

import sys
import traceback

from rich.segment import Segment, Segments
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.worker import WorkerFailed, get_current_worker

from console.app.textual_patches import current_message_pump
from engine.common.text import visible


def crash_report() -> Segments:
    """Return the exception that is being handled, without local variables, made visible."""
    lines = traceback.format_exception(*sys.exc_info())
    text = visible("".join(lines[-6:]), keep="\n")
    words = "The console crashed. The engine and its runs continue. Type: pratique\n\n"
    return Segments([Segment(words + text + "\n")])


def is_after_close(error: Exception) -> bool:
    """Say whether an error is only a query on a screen that was closed meanwhile."""
    node: object = current_message_pump()
    found: BaseException = error
    if isinstance(error, WorkerFailed):
        found, node = error.error, get_current_worker().node
    # A node that was removed is not displayed.
    return _is_no_match(found) and isinstance(node, DOMNode) and not node.display


def _is_no_match(error: BaseException) -> bool:
    """Say whether every error of a group, or the one, is a query without a match."""
    if isinstance(error, BaseExceptionGroup):
        return all(_is_no_match(each) for each in error.exceptions)
    return isinstance(error, NoMatches)
