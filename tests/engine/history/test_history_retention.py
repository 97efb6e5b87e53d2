"""Retention erases contents, never events, and says so."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self

import pytest

from engine.common.text import Untrusted
from engine.history.errors import HistoryError
from engine.history.store.sqlite import ledger
from engine.history.store.sqlite.fulltext_index import index_some
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Case, OutputChunk, Status, Stream
from engine.settings import HistorySettings

ALICE = Untrusted("alice")
MakeCase = Callable[..., Case]


@asynccontextmanager
async def filled(path: Path, make_case: MakeCase, **rules: int) -> AsyncIterator[SqliteHistoryStore]:
    """Yield a history of an old run, a new one, a waiting one and one that shares the new one's code."""
    log = await SqliteHistoryStore.open(path, HistorySettings(batch_milliseconds=5, **rules))
    now = datetime.now(UTC)
    long_ago = now - timedelta(days=100)
    patch = pytest.MonkeyPatch()
    patch.setattr(ledger, "datetime", Past)
    for case in (
        make_case("old", "oldcode = 1", status=Status.FINISHED, exit_code=0, submitted_at=long_ago),
        make_case("waits", "waiting = 1", submitted_at=long_ago),
        make_case("new", "shared = 1", status=Status.FINISHED, exit_code=0, submitted_at=now),
        make_case("older", "shared = 1", status=Status.FINISHED, exit_code=0, submitted_at=long_ago),
    ):
        await log.append("claim.created", case.submission.id, ALICE, {}, case=case)
    await log.append_output("old", [OutputChunk(stream=Stream.STDOUT, at=0, offset=0, data=b"oldoutput")])
    await log.append("claim.released", "old", ALICE, {})
    await log._writer.do(lambda ledger: index_some(ledger.connection))
    patch.undo()
    try:
        yield log
    finally:
        await log.close()


class Past(datetime):
    """A clock that stands in 2020."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """Return the same moment always."""
        return cls(2020, 1, 1, tzinfo=tz)


async def test_old_contents_are_erased_and_events_stay(path: Path, make_case: MakeCase) -> None:
    """What only old, closed cases use is erased; events and digests stay, and verify agrees."""
    async with filled(path, make_case, retain_days=30) as log:
        assert ["old"] == [row.id for row in await log.read.summaries("oldcode")]
        before = await log.read.events(subject="old")
        assert 2 == await log.apply_retention()
        assert before == await log.read.events(subject="old")
        case = await log.read.case("old")
        assert case is not None
        assert Untrusted("") == case.submission.draft.code
        assert () == await log.read.output("old")
        assert () == await log.read.summaries("oldcode")
        kept = [await log.read.case(name) for name in ("waits", "new", "older")]
        assert ["waiting = 1", "shared = 1", "shared = 1"] == [
            c.submission.draft.code.text for c in kept if c
        ]
        (erased,) = [event for event in await log.read.events() if event.type == "history.erased"]
        assert ("older than 30 days", 2) == (erased.data["rule"], len(erased.data["digests"]))
        with pytest.raises(HistoryError, match="was erased by retention: older than 30 days"):
            await log.case_file("old")
        assert 0 == await log.apply_retention()
        assert (await log.verify()).intact


async def test_the_oldest_go_when_there_is_too_much(path: Path, make_case: MakeCase) -> None:
    """Over the size, the oldest contents go first, only until it fits, and never those of open cases."""
    async with filled(path, make_case, retain_mb=1) as log:
        assert 0 == await log.apply_retention()
        chance = random.Random(1)  # noqa: S311  noise that does not compress
        for number in range(3):
            code = chance.randbytes(500_000).hex()
            case = make_case(f"big{number}", code, status=Status.DENIED)
            await log.append("claim.created", case.submission.id, ALICE, {}, case=case)
        erased = await log.apply_retention()
        sizes = await log._connections.do(lambda c: c.execute("SELECT sum(stored) FROM blobs").fetchone()[0])
        pending = await log.read.case("waits")
        assert 0 < erased
        assert 1_000_000 >= sizes
        assert pending is not None
        assert "waiting = 1" == pending.submission.draft.code.text
        assert (await log.verify()).intact


async def test_erased_code_comes_back_with_its_next_submission(path: Path, make_case: MakeCase) -> None:
    """Code that was erased and is submitted again is kept, found, and whole for the old case too."""
    async with filled(path, make_case, retain_days=30) as log:
        await log.apply_retention()
        again = make_case("again", "oldcode = 1", submitted_at=datetime.now(UTC))
        await log.append("claim.created", "again", ALICE, {}, case=again)
        await log._writer.do(lambda ledger: index_some(ledger.connection))
        assert ["again", "old"] == [row.id for row in await log.read.summaries("oldcode")]
        assert (await log.verify()).intact


async def test_erasing_without_a_record_is_tampering(path: Path, make_case: MakeCase) -> None:
    """Contents that went without an event of retention are named."""
    async with filled(path, make_case) as log:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("UPDATE blobs SET body = NULL WHERE n = 1")
        connection.close()
        verification = await log.verify()
        assert "the code or a file of the case old was erased without a record" == verification.problem
