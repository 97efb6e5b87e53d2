"""Finds in a program's output what was expected of it: JSON, a number, or a table. Pure."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from typing import Any

from engine.models import ExpectedOutput

MOST = 4 * 1024 * 1024
"""Longer output is not searched."""
MOST_DEPTH = 64
MOST_ROWS = 10_000
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][-+]?\d{1,5})?(?![\w])")
_OPENING = re.compile(r"^[ \t]*[\[{]", re.MULTILINE)
_MOST_OPENINGS = 50


def extract_value(text: str, expect: ExpectedOutput) -> tuple[str | None, str]:
    """Return what is expected of a text as JSON, or None and why there is none."""
    if len(text) > MOST:
        return None, "the output is too long to be searched"
    value = _READERS[expect](text.strip())
    if value is None:
        return None, f"no {expect} was found in the output"
    try:
        return json.dumps(value, allow_nan=False), ""
    except (ValueError, RecursionError):
        return None, f"the {expect} in the output is none that JSON can hold"


def _json(text: str) -> Any:
    """Return the JSON that the output is, that its last line is, or that it ends with."""
    starts = [match.start() for match in _OPENING.finditer(text)][-_MOST_OPENINGS:]
    for part in (text, text.rpartition("\n")[2], *(text[start:] for start in starts)):
        value = _loaded(part)
        if value is not None:
            return value
    return None


def _loaded(text: str) -> Any:
    if not _shallow(text):
        return None
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _shallow(text: str) -> bool:
    """Whether brackets are not nested so deep that reading them is an attack."""
    depth = most = 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        most = max(most, depth)
    return most <= MOST_DEPTH


def _number(text: str) -> float | int | None:
    """Return the last number of the last line."""
    found = _NUMBER.findall(text.rpartition("\n")[2])
    if not found:
        return None
    number = float(found[-1])
    if not math.isfinite(number):
        return None
    return int(found[-1]) if re.fullmatch(r"[-+]?\d{1,400}", found[-1]) else number


def _table(text: str) -> dict[str, Any] | None:
    """Return columns and rows: of JSON objects, of a JSON table, or of text with commas or tabs."""
    value = _json(text)
    if isinstance(value, dict) and isinstance(value.get("rows"), list) and "columns" in value:
        return {"columns": value["columns"], "rows": value["rows"][:MOST_ROWS]}
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        columns = list(dict.fromkeys(name for row in value for name in row))
        return {
            "columns": columns,
            "rows": [[row.get(name) for name in columns] for row in value[:MOST_ROWS]],
        }
    return _separated(text)


def _separated(text: str) -> dict[str, Any] | None:
    separator = "\t" if "\t" in text.partition("\n")[0] else ","
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error:
        return None
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return None
    return {"columns": rows[0], "rows": rows[1 : MOST_ROWS + 1]}


_READERS: dict[ExpectedOutput, Callable[[str], Any]] = {
    ExpectedOutput.JSON: _json,
    ExpectedOutput.NUMBER: _number,
    ExpectedOutput.TABLE: _table,
}
