"""The profile of an input file: what it is, how large, a sample, and what is odd about it. Pure."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.common.text import Untrusted, many, mark_hidden, visible
from engine.models import InputFile

PROFILED_LINES = 60
"""Shorter text is read as it is: a profile of it saves nobody any time."""
MOST_ODD = 6
"""Rows that are shown of one kind of anomaly."""
LONG_CELL = 500
SAMPLE = 3
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "PNG picture"), (b"\xff\xd8\xff", "JPEG picture"), (b"GIF8", "GIF picture"),
    (b"PAR1", "Parquet table"), (b"SQLite format 3\x00", "SQLite database"), (b"\x93NUMPY", "NumPy array"),
    (b"fLaC", "FLAC sound"), (b"OggS", "Ogg sound"),
)  # fmt: skip
_EXECUTABLE = (
    (re.compile(rb"\A(?:\x7fELF|MZ|\x00asm|\xca\xfe\xba\xbe|[\xcf\xce]\xfa\xed\xfe)"), "a compiled program"),
    (re.compile(rb"\A\s*#!"), "a script: its first line names an interpreter"),
    (re.compile(rb"\A\x80[\x02-\x05]"), "a pickle, which runs code when it is loaded"),
    (
        re.compile(rb"\A(?:\x1f\x8b|BZh|\xfd7zXZ|7z\xbc\xaf|Rar!)|PK\x05\x06"),
        "an archive, whose files are not shown",
    ),
    (re.compile(rb"<script\b|javascript:|<\?php", re.IGNORECASE), "script inside the data"),
    (
        re.compile(rb"\b(?:__import__|os\.system|subprocess\.|eval\(|exec\()"),
        "calls of Python inside the data",
    ),
)
_FORMULA = re.compile(r"\s*[=@]|\s*[+-](?![\d.,]+(?:[eE][+-]?\d+)?\s*\Z)")
_DATA_SUFFIXES = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Profile:
    """What an input file is, and whether this profile is enough to know it."""

    kind: str
    facts: tuple[str, ...] = ()
    sample: tuple[Untrusted, ...] = ()
    anomalies: tuple[tuple[str, tuple[Untrusted, ...]], ...] = ()
    """What is odd, and the first rows in which it is."""
    executable: tuple[str, ...] = ()
    """What in it could run: then only every byte is enough."""
    is_data: bool = False

    @property
    def counts(self) -> bool:
        """Whether to display it counts as reading the file."""
        return self.is_data and not self.executable


def profile(file: InputFile) -> Profile:
    """Return the profile of an input file, whatever is in it."""
    executable = tuple(words for pattern, words in _EXECUTABLE if pattern.search(file.content))
    name = next((words for start, words in _SIGNATURES if file.content.startswith(start)), "")
    if name:
        return Profile(name, executable=_with_objects(file, executable), is_data=True)
    try:
        text = file.content.decode()
    except UnicodeDecodeError:
        return Profile("bytes of an unknown kind", executable=executable)
    suffix = file.name.text.lower().rpartition(".")[2]
    if suffix in _DATA_SUFFIXES:
        return _table(text, _DATA_SUFFIXES[suffix], suffix.upper(), executable)
    if suffix in {"jsonl", "ndjson"}:
        return _json_lines(text, executable)
    return Profile("text", (many(text.count("\n") + 1, "line"),), executable=executable)


def _with_objects(file: InputFile, executable: tuple[str, ...]) -> tuple[str, ...]:
    pickled = file.content.startswith(b"\x93NUMPY") and b"|O" in file.content[:4096]
    return (*executable, "NumPy objects, which run code when they are loaded") if pickled else executable


def _table(text: str, delimiter: str, kind: str, executable: tuple[str, ...]) -> Profile:
    limit = csv.field_size_limit(1 << 30)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return Profile(f"{kind} that cannot be read", executable=executable)
    finally:
        csv.field_size_limit(limit)
    rows = [row for row in rows if row]
    widths = Counter(map(len, rows))
    usual = widths.most_common(1)[0][0] if widths else 0
    titles = ", ".join(visible(cell)[:24] for cell in rows[0][:12]) if rows else ""
    facts = (f"{many(len(rows), 'row')} of {many(usual, 'column')}", f"first row: {titles}")
    lines = text.removesuffix("\n").split("\n")
    shown = [*lines[:SAMPLE], *lines[-SAMPLE:]] if len(lines) > 2 * SAMPLE else lines
    ragged = (row for row in rows if len(row) != usual)
    formulas = (row for row in rows if any(map(_FORMULA.match, row)))
    long = (row for row in rows if any(len(cell) > LONG_CELL for cell in row))
    odd = [
        *_odd("rows of another width", ragged, delimiter),
        *_odd("rows with a cell that begins like a formula", formulas, delimiter),
        *_odd("rows with a cell of more than 500 characters", long, delimiter),
        *_hidden(lines),
    ]
    return Profile(kind, facts, _cut(shown), tuple(odd), executable, is_data=len(lines) > PROFILED_LINES)


def _json_lines(text: str, executable: tuple[str, ...]) -> Profile:
    lines = [line for line in text.split("\n") if line.strip()]
    shapes: Counter[str] = Counter()
    broken: list[list[str]] = []
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            broken.append([line])
            continue
        keys = ", ".join(sorted(map(str, value))[:20]) if isinstance(value, dict) else type(value).__name__
        shapes[keys] += 1
    common = (f"{count:,} with {visible(keys)[:160]}" for keys, count in shapes.most_common(4))
    facts = (many(len(lines), "row"), *common)
    long = ([line] for line in lines if len(line) > 4 * LONG_CELL)
    odd = [
        *_odd("rows that are no JSON", broken, " "),
        *_odd("rows of more than 2,000 characters", long, " "),
        *_hidden(lines),
    ]
    return Profile("JSON lines", facts, _cut([*lines[:SAMPLE], *lines[-SAMPLE:]]), tuple(odd), executable,
                   is_data=len(lines) > PROFILED_LINES)  # fmt: skip


def _odd(what: str, rows: Iterable[list[str]], delimiter: str) -> Iterator[tuple[str, tuple[Untrusted, ...]]]:
    found = list(rows)
    if found:
        yield f"{len(found):,} {what}", _cut(delimiter.join(row) for row in found[:MOST_ODD])


def _hidden(lines: list[str]) -> Iterator[tuple[str, tuple[Untrusted, ...]]]:
    """Find characters that do not show, or steer a terminal."""
    found = [line for line in lines if mark_hidden(kept := line.rstrip("\r"), keep="\t") != kept]
    if found:
        yield f"{len(found):,} lines with hidden characters", _cut(found[:MOST_ODD])


def _cut(lines: Iterable[str]) -> tuple[Untrusted, ...]:
    return tuple(Untrusted(line[:LONG_CELL]) for line in lines)
