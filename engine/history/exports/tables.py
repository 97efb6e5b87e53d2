"""JSON lines and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from engine.common.text import Untrusted, visible
from engine.models import Summary

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet run a cell. Source: CWE-1236."""


def jsonl(models: Iterable[BaseModel]) -> Iterator[str]:
    """Yield a line of JSON for each; all but ASCII is escaped, so that no terminal is steered by it."""
    for model in models:
        yield json.dumps(model.model_dump(mode="json"), separators=(",", ":")) + "\n"


def comma_separated(summaries: Iterable[Summary]) -> Iterator[str]:
    """Yield a header and a line for each; what agents wrote is made visible and never a formula."""
    names = list(Summary.model_fields)
    yield _line(names)
    for summary in summaries:
        yield _line([_cell(getattr(summary, name)) for name in names])


def _cell(value: object) -> object:
    if isinstance(value, Untrusted):
        text = visible(value)
        return f"'{text}" if text.startswith(_FORMULA) else text
    return value.isoformat() if hasattr(value, "isoformat") else value


def _line(cells: list[object] | list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()
