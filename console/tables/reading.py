"""A page of a table, read in a bounded process."""

from __future__ import annotations

import json
from dataclasses import asdict

from console.safety.bounded_process import answer_of
from console.tables.pages import PageRequest, TablePage
from engine.common.errors import Problem

READ_SECONDS = 30.0


async def read_page(data: bytes, kind: str, request: PageRequest) -> TablePage:
    """Return a page of a table.

    Raises:
        Problem: it is no table that can be read, or too large (422).
    """
    asked = json.dumps(asdict(request))
    good, answer = await answer_of("console.tables.read", kind, asked, data=data, seconds=READ_SECONDS)
    if not good:
        why = answer[:200].decode("utf-8", "replace") or "it is too large, or broken"
        raise Problem(422, f"the table cannot be shown: {why}")
    found = json.loads(answer)
    rows = tuple(tuple(row) for row in found["rows"])
    return TablePage(tuple(found["columns"]), rows, found["first"], found["total"])
