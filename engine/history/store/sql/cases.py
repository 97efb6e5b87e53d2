"""A case as a row: searchable fields in columns, the rest as JSON, code and files by their digest."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from pydantic_core import from_json

from engine.common.text import Untrusted
from engine.history.chain.chain import stamp
from engine.history.errors import HistoryError
from engine.history.store.sql import blobs, row_formats
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.row_formats import RowFormat
from engine.history.summary import summary_of
from engine.models import OPEN, Case, Draft, InputFile, Summary

SUMMARY = tuple(Summary.model_fields)
"""The columns of `cases` that make a summary."""
_CODE_ALONE = re.compile(
    rb'\{"submission":\{"id":"[\w-]*","draft":\{"code":"([0-9a-f]{64})","language":"[a-z]+","files":\[\],'
)
"""How a stored case without input files begins: to read on takes ten times as long."""
COUNTS = (
    ("daily_counts", "day", "substr(submitted_at, 1, 10)"),
    ("requester_counts", "requester", "requester"),
)


@dataclass(frozen=True, slots=True)
class EncodedCase:
    """A case ready to be written: its columns, its JSON without contents, and the contents by digest."""

    columns: tuple[object, ...]
    body: bytes
    sha256: str
    contents: tuple[tuple[str, bytes], ...]
    is_open: bool = False


def encode(case: Case) -> EncodedCase:
    """Return a case as it is stored."""
    draft = case.submission.draft
    code = draft.code.text.encode()
    contents = (
        (blobs.digest_of(code), code),
        *((blobs.digest_of(f.content), f.content) for f in draft.files),
    )
    body = _with_contents(case, [digest.encode() for digest, _ in contents]).model_dump_json().encode()
    summary = summary_of(case)
    form = row_formats.current()
    listed = {"decided_after": decided_after(case), **dict(summary)}
    columns = tuple(_column(listed[name]) for name in form.columns)
    return EncodedCase(columns, body, form.digest(columns, body), contents, case.status in OPEN)


def write(connection: SqlConnection, encoded: EncodedCase, seq: int, at: str) -> int:
    """Write the state of a case as the record `seq` left it, and return its number."""
    _count(connection, encoded.columns[0], -1)
    number = insert(connection, encoded, seq)
    _count(connection, encoded.columns[0], 1)
    kept = [blobs.put(connection, content, digest, at) for digest, content in encoded.contents]
    blobs.use(connection, number, kept)
    return number


def insert(connection: SqlConnection, encoded: EncodedCase, seq: int) -> int:
    """Write the row of a case, without its contents and uncounted, and return its number.

    Raises:
        HistoryError: the row of that id is another submission's, which nothing overwrites.
    """
    form = row_formats.current()
    row = connection.execute(_upsert(form), (*encoded.columns, form.number, seq)).fetchone()
    if row is None:
        raise HistoryError(f"There is another submission {encoded.columns[0]}", hint="Submit it again")
    connection.executemany(
        "INSERT INTO case_states (n, body) VALUES (?, ?) ON CONFLICT (n) DO UPDATE SET body = excluded.body",
        [(row[0], blobs.pack(encoded.body))],
    )
    return int(row[0])


@cache
def _upsert(form: RowFormat) -> str:
    names = (*form.columns, "format", "seq")
    return (
        f"INSERT INTO cases (n, {', '.join(names)}) "
        f"VALUES ((SELECT coalesce(max(n), 0) + 1 FROM cases), {', '.join('?' * len(names))}) "
        f"ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in names[1:])} "
        "WHERE cases.digest = excluded.digest AND cases.submitted_at = excluded.submitted_at "
        "RETURNING n"
    )


def count_all(connection: SqlConnection) -> None:
    """Count all cases, where none has been counted."""
    for table, key, value in COUNTS:
        connection.execute(
            f"INSERT INTO {table} ({key}, risk, status, kill_reason, language, count) "
            f"SELECT {value}, risk, status, coalesce(kill_reason, ''), language, count(*) FROM cases "
            "GROUP BY 1, 2, 3, 4, 5"
        )


def _count(connection: SqlConnection, id: object, by: int) -> None:
    """Add a case in its current state to the counts, or subtract it."""
    for table, key, value in COUNTS:
        connection.executemany(
            f"INSERT INTO {table} ({key}, risk, status, kill_reason, language, count) "
            f"SELECT {value}, risk, status, coalesce(kill_reason, ''), language, :by FROM cases "
            "WHERE id = :id "
            f"ON CONFLICT ({key}, risk, status, kill_reason, language) "
            f"DO UPDATE SET count = {table}.count + excluded.count",
            [{"id": id, "by": by}],
        )
        if by < 0:
            connection.executemany(
                f"DELETE FROM {table} WHERE count = 0 AND ({key}, risk, status, kill_reason, language) = ("
                f"SELECT {value}, risk, status, coalesce(kill_reason, ''), language FROM cases WHERE id = ?)",
                [(id,)],
            )


def decode(connection: SqlConnection, body: bytes) -> Case:
    """Return the case that was stored, code and files included.

    Raises:
        HistoryError: its code or a file is missing, or is not what was stored.
    """
    plain = blobs.unpack(body)
    contents = [blobs.get(connection, digest) or b"" for digest in contents_of(plain)]
    return _with_contents(Case.model_validate_json(plain), contents)


def without_contents(body: bytes) -> Case:
    """Return a stored case with digests in the place of code and files. Raises ValueError: it is none."""
    return Case.model_validate_json(body)


def decided_after(case: Case) -> float | None:
    """Return the seconds from the submission of a case to its decision."""
    return (case.decision.at - case.submission.submitted_at).total_seconds() if case.decision else None


def contents_of(body: bytes) -> list[str]:
    """Return the digests of the code and the files that a stored case refers to."""
    if alone := _CODE_ALONE.match(body):
        return [alone[1].decode()]
    draft = from_json(body)["submission"]["draft"]
    return [draft["code"], *(base64.b64decode(file["content"]).decode() for file in draft["files"])]


def summary_from(row: tuple[object, ...]) -> Summary:
    """Return the summary of a row that holds `SUMMARY`."""
    return Summary.model_validate(dict(zip(SUMMARY, row, strict=True)))


def _column(value: object) -> object:
    if isinstance(value, Untrusted):
        return value.text
    return stamp(value) if isinstance(value, datetime) else value


def _with_contents(case: Case, contents: list[bytes]) -> Case:
    draft: Draft = case.submission.draft
    files = tuple(
        InputFile(name=file.name, content=content)
        for file, content in zip(draft.files, contents[1:], strict=True)
    )
    changed = draft.with_contents(Untrusted(contents[0].decode()), files)
    return case.with_submission(case.submission.with_draft(changed))
