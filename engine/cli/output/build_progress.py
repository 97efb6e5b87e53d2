"""A progress bar for builds on a terminal, and next to nothing in a pipe."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from engine.cli.output.formatting import print_line
from engine.common.text import visible
from engine.images import Progress, Watch

_CELLS = 20


@contextmanager
def watching(*, each: bool = False) -> Iterator[Watch]:
    """Show builds on standard error; in a pipe say nothing, or with `each` one line an image."""
    if not sys.stderr.isatty():
        yield _line_per_image() if each else _silent
        return
    try:
        yield _draw_bar
    finally:
        sys.stderr.write("\r\x1b[K")


def bar(progress: Progress, columns: int) -> str:
    """Return one line, no wider than `columns`: a bar, the image, the step, and what Docker says."""
    done = _CELLS * progress.step // max(progress.steps, 1)
    said = visible(" ".join(progress.line.split()))
    line = f"{'━' * done}{'─' * (_CELLS - done)} {progress.image} {progress.step}/{progress.steps} {said}"
    return line[: columns - 1]


def _draw_bar(progress: Progress) -> None:
    sys.stderr.write("\r\x1b[K" + bar(progress, shutil.get_terminal_size().columns))
    sys.stderr.flush()


def _silent(progress: Progress) -> None:
    """Say nothing."""


def _line_per_image() -> Watch:
    seen: set[str] = set()

    def tell(progress: Progress) -> None:
        if progress.image not in seen:
            seen.add(progress.image)
            print_line(f"  building the image {progress.image}")

    return tell
