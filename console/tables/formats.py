"""Reads CSV, TSV and JSON lines into columns and rows. Pure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath

MOST_ROWS = 1_000_000
MOST_COLUMNS = 256
LONGEST_FIELD = 1 << 20
SNIFFED = 64 * 1024
"""Characters that decide which separator a file has."""
SEPARATORS = ",;\t|"
SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
            ".parquet": "parquet"}  # fmt: skip
VALUE = "value"
"""The column of a JSON line that is no object."""
Table = tuple[list[str], list[list[str]]]
"""Names of columns, and rows of as many texts."""


class UnreadableTable(ValueError):
    """The table cannot be read; the text says why."""


def kind_of(name: str) -> str:
    """Return the kind of table that a file of this name holds, or nothing."""
    return SUFFIXES.get(PurePosixPath(name).suffix.lower(), "")


def read(data: bytes, kind: str) -> Table:
    """Return columns and rows. Raises UnreadableTable."""
    if kind == "parquet":
        raise UnreadableTable("Parquet is read in the sandbox: pandas.read_parquet(...).to_csv(...)")
    text = data.decode("utf-8-sig", "backslashreplace")
    try:
        return _json_lines(text) if kind == "jsonl" else _separated(text, kind)
    except (csv.Error, RecursionError) as error:
        raise UnreadableTable(str(error) or "it is nested too deeply") from None


def _separated(text: str, kind: str) -> Table:
    csv.field_size_limit(LONGEST_FIELD)
    separator = "\t" if kind == "tsv" else _separator(text[:SNIFFED])
    lines = (line for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if line)
    columns = next(lines, [])[:MOST_COLUMNS]
    return columns, [_as_wide(line, len(columns)) for line in islice(lines, MOST_ROWS)]


def _separator(start: str) -> str:
    """Return the separator that the first line has most of."""
    first = start.partition("\n")[0]
    return max(SEPARATORS, key=first.count)


def _as_wide(line: list[str], width: int) -> list[str]:
    return line[:width] + [""] * (width - len(line))


def _json_lines(text: str) -> Table:
    records = list(islice(_records(text), MOST_ROWS))
    columns: dict[str, None] = {}
    for record in records:
        columns.update(dict.fromkeys(record))
    names = list(columns)[:MOST_COLUMNS]
    return names, [[_text(record.get(name)) for name in names] for record in records]


def _records(text: str) -> Iterator[dict[str, object]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError:
            raise UnreadableTable(f"line {number} is not JSON") from None
        yield found if isinstance(found, dict) else {VALUE: found}


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
