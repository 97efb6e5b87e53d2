"""The questions that the history answers. Each takes a read-only connection."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine.common.text import visible
from engine.history.chain import chain
from engine.history.chain.chain import Record
from engine.history.errors import ErasedError
from engine.history.events.blocks import MeterBlock, OutputBlock
from engine.history.search.query.tree import Query
from engine.history.store.sql import blobs, cases
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.search.order import NEWEST_FIRST, Order
from engine.history.store.sql.search.planner import plan
from engine.history.store.sql.stored_contents import erased_by
from engine.history.store.sql.where import EVERYTHING
from engine.models import OPEN, Artifact, Case, Event, Meters, OutputChunk, Summary

_SUMMARY = ", ".join(cases.SUMMARY)
_OPEN = ", ".join(f"'{status.value}'" for status in sorted(OPEN))


def case(connection: SqlConnection, id: str) -> Case | None:
    """Return the case with this id, or None."""
    row = connection.execute(
        "SELECT body FROM cases JOIN case_states USING (n) WHERE id = ?", (id,)
    ).fetchone()
    return cases.decode(connection, row[0]) if row else None


def open_cases(connection: SqlConnection) -> tuple[Case, ...]:
    """Return the cases that are not over, the oldest first."""
    rows = connection.execute(
        f"SELECT body FROM cases JOIN case_states USING (n) WHERE status IN ({_OPEN}) ORDER BY n"
    )
    return tuple(cases.decode(connection, body) for (body,) in rows)


def summaries(
    connection: SqlConnection,
    query: Query,
    before: str | None,
    limit: int,
    order: Order = NEWEST_FIRST,
) -> tuple[Summary, ...]:
    """Return a line for each case that fits and comes after the one with the id `before`, in this order."""
    fits = plan(connection, query)
    page = EVERYTHING if before is None else order.after(connection, before)
    rows = connection.execute(
        f"SELECT {_SUMMARY} FROM cases WHERE {fits.sql} AND {page.sql} ORDER BY {order.sql} LIMIT ?",
        (*fits.values, *page.values, limit),
    )
    return tuple(cases.summary_from(row) for row in rows)


def events(connection: SqlConnection, since: int, subject: str | None, limit: int) -> tuple[Event, ...]:
    """Return the events after number `since`, in order: all of them, or those of one subject."""
    which = "" if subject is None else "AND subject = :subject"
    rows = connection.execute(
        f"SELECT {chain.COLUMNS} FROM events WHERE seq > :since {which} ORDER BY seq LIMIT :limit",
        {"since": since, "subject": subject, "limit": limit},
    )
    return tuple(chain.event_of(Record(*row)) for row in rows)


def output(connection: SqlConnection, run: str, offset: int, limit: int) -> tuple[OutputChunk, ...]:
    """Return the output of a run from byte `offset` on, at most `limit` bytes, as it was cut when it came.

    Raises:
        HistoryError: what is kept is not what was written.
    """
    found: list[OutputChunk] = []
    for block in output_blocks(connection, run):
        if block.start >= offset + limit:
            break
        if block.start + block.size > offset:
            content = blobs.get(connection, block.digest) or b""
            found += (_cut(chunk, offset, offset + limit) for chunk in block.split(content))
    return tuple(chunk for chunk in found if chunk.data)


def output_blocks(connection: SqlConnection, run: str) -> Iterator[OutputBlock]:
    """Yield where the output of a run lies, in order."""
    return (OutputBlock.model_validate_json(data) for data in _data_of(connection, run, "run.output"))


def latest_checkpoint(connection: SqlConnection) -> str | None:
    """Return the signed note of the last checkpoint, or None."""
    row = connection.execute(
        "SELECT data ->> 'note' FROM events WHERE type = 'history.checkpoint' ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    return str(row[0]) if row else None


def artifact(connection: SqlConnection, run: str, name: str) -> bytes:
    """Return the newest file that a run left by its name or digest.

    Raises:
        KeyError: it left none.
        ErasedError: retention has erased it.
        HistoryError: what is kept is not what was written.
    """
    left = reversed(list(artifacts(connection, run)))
    digest = next((one.digest for one in left if name in (one.name.text, one.digest)), None)
    if digest is None:
        raise KeyError(name)
    content = blobs.get(connection, digest)
    if content is None:
        raise ErasedError(f"{visible(name)[:200]} of {run}", erased_by(connection, digest))
    return content


def artifacts(connection: SqlConnection, run: str) -> Iterator[Artifact]:
    """Yield the files that a run left, in order."""
    fields = (json.loads(data) for data in _data_of(connection, run, "run.artifact"))
    return (
        Artifact.model_validate({name: one[name] for name in Artifact.model_fields if name in one})
        for one in fields
    )


def meters(connection: SqlConnection, run: str) -> tuple[Meters, ...]:
    """Return all samples of a run."""
    blocks = (MeterBlock.model_validate_json(data) for data in _data_of(connection, run, "run.meters"))
    return tuple(sample for block in blocks for sample in block.samples)


def _data_of(connection: SqlConnection, run: str, type: str) -> Iterator[str]:
    rows = connection.execute(
        "SELECT data FROM events WHERE subject = ? AND type = ? ORDER BY seq", (run, type)
    )
    return (data for (data,) in rows)


def _cut(chunk: OutputChunk, start: int, end: int) -> OutputChunk:
    first, last = max(start - chunk.offset, 0), max(end - chunk.offset, 0)
    if first == 0 and last >= len(chunk.data):
        return chunk
    return chunk.part(first, last)
