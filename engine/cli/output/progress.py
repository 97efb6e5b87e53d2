"""A progress bar on terminals for work that can be counted."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from engine.history.api import ProgressCallback

_CELLS = 30
_INTERVAL = 0.1
"""Seconds between two updates."""


@contextmanager
def progress_bar(what: str) -> Iterator[ProgressCallback]:
    """Show progress and rate on standard error."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    try:
        yield _drawer(what)
    finally:
        sys.stderr.write("\r\x1b[K")


def progress_line(what: str, done: int, total: int, seconds: float, columns: int) -> str:
    """Return a line narrower than `columns`: bar, percentage, count and rate."""
    cells = _CELLS * done // max(total, 1)
    rate = f"{done / seconds:,.0f}/s" if seconds > 0 else ""
    bar = f"{'━' * cells}{'─' * (_CELLS - cells)} {100 * done // max(total, 1)} %"
    return f"{bar}  {done:,} of {total:,} {what}  {rate}"[: columns - 1]


def _drawer(what: str) -> ProgressCallback:
    begun = last = time.monotonic()

    def draw(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _INTERVAL or done == total:
            last = now
            shown = progress_line(what, done, total, now - begun, shutil.get_terminal_size().columns)
            sys.stderr.write(f"\r\x1b[K{shown}")
            sys.stderr.flush()

    return draw
