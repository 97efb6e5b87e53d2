"""`python -m tests.set_clock FILE`: the engine, with a clock that is ahead by the seconds in a file.

The time that goes by stays as it is, as it does where somebody sets the clock of a machine.
"""

from __future__ import annotations

import contextlib
import runpy
import sys
import time
from pathlib import Path


def main(file: Path) -> None:
    """Serve until the engine ends."""
    clock = time.time

    def set_clock() -> float:
        with contextlib.suppress(OSError, ValueError):
            return clock() + float(file.read_text("utf-8"))
        return clock()

    time.time = set_clock
    sys.argv = sys.argv[:1]
    runpy.run_module("engine.server.serve", run_name="__main__")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
