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
from engine.history.exports import case_verify
from engine.history.store.credible_clock import CredibleClock
from engine.history.store.sql import ledger
from engine.history.store.sql.erasing.retention import erase_some
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Case, OutputChunk, Status, Stream
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case

ALICE = Untrusted("alice")
MakeCase = Callable[..., Case]


@asynccontextmanager
async def filled(path: Path, make_case: MakeCase, **rules: int) -> AsyncIterator[SqliteHistoryStore]:
    """Yield a history of an old run, a new one, a waiting one and two that share the new one's code."""
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
        make_case("lately", "shared = 1", status=Status.DENIED, submitted_at=now - timedelta(days=3)),
    ):
        await log.append("claim.created", case.submission.id, ALICE, {}, case=case)
    await log.append_output("old", [OutputChunk(stream=Stream.STDOUT, at=0, offset=0, data=b"oldoutput")])
    await log.append("claim.released", "old", ALICE, {})
    await log._writer.do(lambda ledger: ledger.connection.dialect.index_texts())
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
        members = case_verify.unpacked(await log.case_file("old"))
        shown = [name for name, content in members.items() if b"oldcode" in content]
        assert ["case/columns.json"] == shown, "the first line, which lists still show"
        assert 0 == await log.apply_retention()
        assert (await log.verify()).intact


async def test_the_oldest_go_when_there_is_too_much(path: Path, make_case: MakeCase) -> None:
    """Over the size, the oldest contents go first, only until it fits, and never those of open cases."""
    async with filled(path, make_case, retain_mb=1, retain_newest_seconds=0) as log:
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
        await log._writer.do(lambda ledger: ledger.connection.dialect.index_texts())
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


async def noise(log: SqliteHistoryStore, make_case: MakeCase, name: str, at: datetime) -> None:
    """Record a closed case of half a megabyte at a moment."""
    patch = pytest.MonkeyPatch()
    patch.setattr(ledger, "datetime", type("At", (datetime,), {"now": classmethod(lambda cls, tz=None: at)}))
    code = random.Random(name).randbytes(500_000).hex()  # noqa: S311  it does not compress
    case = make_case(name, code, status=Status.DENIED, submitted_at=at)
    await log.append("claim.created", name, ALICE, {}, case=case)
    patch.undo()


async def kept(log: SqliteHistoryStore, names: list[str]) -> list[str]:
    """Return those of these cases whose code is still there."""
    cases = [await log.read.case(name) for name in names]
    return [case.submission.id for case in cases if case and case.submission.draft.code]


NOW = datetime.now(UTC)
CLOCKS = {
    "right": NOW + timedelta(minutes=1),
    "ahead by years": NOW + timedelta(days=4000),
    "behind by years": NOW - timedelta(days=4000),
}


@pytest.mark.parametrize("wrong", CLOCKS.values(), ids=CLOCKS)
async def test_what_was_just_done_is_never_too_much(path: Path, make_case: MakeCase, wrong: datetime) -> None:
    """Whatever the clock says, the contents of the last hour stay, though they are over the size."""
    rules = HistorySettings(batch_milliseconds=5, retain_mb=1)
    log = await SqliteHistoryStore.open(path, rules)
    names = ["long-ago", "before", "just", "now"]
    ages = [timedelta(days=3), timedelta(hours=2), timedelta(minutes=50), timedelta()]
    for name, age in zip(names, ages, strict=True):
        await noise(log, make_case, name, NOW - age)
    while await log._writer.do(lambda one: erase_some(one, rules, wrong, CredibleClock())):
        pass
    assert ["just", "now"] == await kept(log, names)
    assert (await log.verify()).intact
    await log.close()


@pytest.mark.parametrize("ahead", [timedelta(days=20), timedelta(days=400), timedelta(days=40_000)])
async def test_a_clock_set_ahead_makes_nothing_old(path: Path, make_case: MakeCase, ahead: timedelta) -> None:
    """Neither in the engine that sees it set, nor in those that start after it, within a day."""
    async with filled(path, make_case, retain_days=10) as log:
        for clock in (CredibleClock(), CredibleClock()):
            for boot in (0.0, 3600.0, 80_000.0):
                moment = datetime.now(UTC) + ahead + timedelta(seconds=boot)
                assert not await log._writer.do(lambda one: clock.believes(moment, one.connection, boot))  # noqa: B023
        now = datetime.now(UTC) + ahead
        assert 0 == await log._writer.do(lambda one: erase_some(one, log._settings, now, CredibleClock()))
        assert 2 == await log.apply_retention()


async def test_a_clock_that_goes_on_for_a_day_is_believed(path: Path) -> None:
    """Also where nobody used the history for long; one that is set meanwhile begins anew."""
    log = await SqliteHistoryStore.open(path, HistorySettings(batch_milliseconds=5))
    clock, begin, day = CredibleClock(), datetime(2030, 1, 1, tzinfo=UTC), 86_400.0

    async def believed(at: datetime, boot: float) -> bool:
        return await log._writer.do(lambda one: clock.believes(at, one.connection, boot))

    assert not await believed(begin, 0)
    assert not await believed(begin + timedelta(hours=23), 23 * 3600)
    assert await believed(begin + timedelta(days=1), day)
    assert not await believed(begin + timedelta(days=50), day + 60)
    assert not await believed(begin + timedelta(days=50, hours=1), day + 3660)
    assert await believed(begin + timedelta(days=51), 2 * day + 60)
    await log.close()


@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "not indexed"])
async def test_a_history_of_which_everything_was_erased_is_intact(path: Path, indexed: bool) -> None:
    """The empty index of texts is the index of no texts, also after a restart and after new contents."""
    log = await SqliteHistoryStore.open(path, HistorySettings(batch_milliseconds=5))
    for number in range(3):
        case = build_case(f"s{number}", f"code = {number}", status=Status.DENIED)
        await log.append("claim.created", case.submission.id, ALICE, {}, case=case)
    if indexed:
        await log._writer.do(lambda one: one.connection.dialect.index_texts())
    nothing = HistorySettings.model_construct(retain_mb=0, retain_days=None, retain_newest_seconds=0.0)
    assert 3 == await log._writer.do(lambda one: erase_some(one, nothing, NOW, CredibleClock()))
    assert (await log.verify()).intact
    await log.close()
    log = await SqliteHistoryStore.open(path, HistorySettings(batch_milliseconds=5))
    assert (await log.verify()).intact
    case = build_case("s9", "again = 1", status=Status.DENIED)
    await log.append("claim.created", "s9", ALICE, {}, case=case)
    await log._writer.do(lambda one: one.connection.dialect.index_texts())
    assert (await log.verify()).intact
    await log.close()
