"""Progress of image builds: a bar on terminals, otherwise nothing or one line per image."""

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
def build_progress(*, each: bool = False) -> Iterator[Watch]:
    """Show builds on standard error; without a terminal print nothing, or with `each` one line per image."""
    if not sys.stderr.isatty():
        yield _line_per_image() if each else _silent
        return
    try:
        yield _draw_bar
    finally:
        sys.stderr.write("\r\x1b[K")


def build_line(progress: Progress, columns: int) -> str:
    """Return a line narrower than `columns`: bar, image, step and Docker's output."""
    done = _CELLS * progress.step // max(progress.steps, 1)
    output = visible(" ".join(progress.line.split()))
    line = f"{'━' * done}{'─' * (_CELLS - done)} {progress.image} {progress.step}/{progress.steps} {output}"
    return line[: columns - 1]


def _draw_bar(progress: Progress) -> None:
    sys.stderr.write("\r\x1b[K" + build_line(progress, shutil.get_terminal_size().columns))
    sys.stderr.flush()


def _silent(progress: Progress) -> None:
    """Print nothing."""


def _line_per_image() -> Watch:
    seen: set[str] = set()

    def print_once(progress: Progress) -> None:
        if progress.image not in seen:
            seen.add(progress.image)
            print_line(f"  building the image {progress.image}")

    return print_once
