"""`python -m engine.history.verify.worker DATABASE`: reads what standard input asks for, line by line."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path

from engine.history.store.sqlite.database import open_source
from engine.history.verify.pool import encode
from engine.history.verify.range import verify_range
from engine.history.verify.stored_data import StoredDataChecks

NICENESS = 5
"""Added to the priority value, so that runs come first."""


def main() -> None:
    """Answer each line with one, until there are no more."""
    os.nice(NICENESS)
    gc.disable()  # rows are no cycles, and looking for some takes a tenth of the time
    source = open_source(Path(sys.argv[1]))
    checks = StoredDataChecks(source)
    for line in sys.stdin:
        first, last, points = json.loads(line)
        sys.stdout.write(encode(verify_range(source, checks, first, last, frozenset(points))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
