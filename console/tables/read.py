"""Reads one page of a table from stdin, in a separate process that does nothing else.

It answers with JSON; or, with exit code 1, with one line that says why not.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from console.safety.process_bounds import bound
from console.tables.formats import UnreadableTable, read
from console.tables.pages import PageRequest, page

MAX_BYTES = 1 << 30
MAX_SECONDS = 20


def main(kind: str, request: str) -> int:
    """Write the page that is asked for. Returns the exit code."""
    bound(MAX_BYTES, MAX_SECONDS)
    try:
        found = page(read(sys.stdin.buffer.read(), kind), PageRequest(**json.loads(request)))
    except MemoryError:
        sys.stdout.write("it is too large")
        return 1
    except UnreadableTable as error:
        sys.stdout.write(str(error))
        return 1
    sys.stdout.write(json.dumps(asdict(found)))
    return 0
