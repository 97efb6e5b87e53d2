"""A filter finds what it says, and points at the character where it says nothing."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.history.devtools.seed import seed_history
from engine.history.search.query.complete import complete
from engine.history.search.query.errors import QueryError
from engine.history.search.query.parser import parse
from engine.history.store.sql.search import facets, planner
from engine.history.store.sqlite import texts
from engine.history.store.sqlite.dialect import SqliteConnection
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Case, KillReason, Language, Level, OutputChunk, Status, Stream
from engine.settings import HistorySettings

ALICE = Untrusted("alice")
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
async def filled(log: SqliteHistoryStore, make_case: Callable[..., Case]) -> SqliteHistoryStore:
    """A history of five cases that differ in everything."""
    now = datetime.now(UTC)
    made = (
        make_case("a", 'import requests\nrequests.get("http://x")', risk=Level.CRITICAL, requester="bot-1",
                  submitted_at=now - timedelta(days=30)),
        make_case("b", "print(1)", reviewer="alice", status=Status.KILLED, risk=Level.HIGH, requester="bot-2",
                  kill_reason=KillReason.MEMORY, duration=12.5, memory_peak=600 << 20,
                  submitted_at=now - timedelta(days=3)),
        make_case("c", "console.log(1)", language=Language.JAVASCRIPT, reviewer="bob", status=Status.FINISHED,
                  exit_code=1, duration=0.5, submitted_at=now - timedelta(hours=3)),
        make_case("d", "echo *", language=Language.SHELL, reviewer="alice", status=Status.DENIED,
                  submitted_at=now),
        make_case("e", "x = 'ünïcode' # 100%", requester="a b", status=Status.PENDING, submitted_at=now),
    )  # fmt: skip
    for case in made:
        await log.append("claim.created", case.submission.id, ALICE, {}, case=case)
    await log.append_output(
        "c", [OutputChunk(stream=Stream.STDOUT, at=0, offset=0, data=b"flag{found} in output")]
    )
    await log.append("claim.released", "c", ALICE, {})
    while await log._writer.do(lambda ledger: _index(ledger.connection)):
        pass
    return log


def _index(connection: object) -> bool:
    from engine.history.store.sqlite.fulltext_index import index_some  # noqa: PLC0415

    return index_some(connection)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("filter_", "found"),
    [
        ("", "edcba"),
        ("   ", "edcba"),
        ("risk:critical", "a"),
        ("risk:critical,high", "ba"),
        ("RISK:High", "b"),
        ("-risk:low", "ba"),
        ("reviewer:alice", "db"),
        ("reviewer:alice status:denied", "d"),
        ("reviewer:al*", "db"),
        ("requester:bot-*", "ba"),
        ('requester:"a b"', "e"),
        ("kill:memory", "b"),
        ("-kill:memory", "edca"),
        ("lang:js", "c"),
        ("language:shell,python", "edba"),
        ("decision:approved", "cb"),
        ("decision:denied", "d"),
        ("status:pending", "ea"),
        ("duration:>10s", "b"),
        ("duration:<=500ms", "c"),
        ("memory:>512mb", "b"),
        ("exit:1", "c"),
        ("lines:>1", "a"),
        ("violations:0", "edcba"),
        ("since:7d", "edcb"),
        ("since:1h", "ed"),
        ("until:7d", "a"),
        ("since:7d until:1h", "cb"),
        ("id:c", "c"),
        ('text:"requests.get"', "a"),
        ("requests.get", "a"),
        ("requ*", "a"),
        ('"found} in"', "c"),
        ("-text:print", "edca"),
        ("ünïcode", "e"),
        ("text:nowhere", ""),
        ('text:"a \\" b"', ""),
        ('text:"x\') OR 1=1 --"', ""),
        ("requester:';--DROP", ""),
    ],
)
async def test_filter_finds(filled: SqliteHistoryStore, filter_: str, found: str) -> None:
    """Each filter finds its cases and no others, the newest first."""
    assert list(found) == [row.id for row in await filled.read.summaries(filter_)]


async def test_pages_of_a_filter(filled: SqliteHistoryStore) -> None:
    """Paging goes on where the last page ended."""
    assert ["c", "b"] == [row.id for row in await filled.read.summaries("since:7d", before="d", limit=2)]


@pytest.mark.parametrize(
    ("filter_", "position", "said"),
    [
        ("risk:purple", 5, "Unknown value 'purple' of the field risk"),
        ("risk:high,purple", 10, "Unknown value 'purple' of the field risk"),
        ("risk:high reviever:alice", 10, "Unknown field 'reviever'"),
        ("duration:>fast", 10, "'fast' is not a number"),
        ("duration:>10parsecs", 12, "Unknown unit 'parsecs' of the field duration"),
        ("since:yesterdy", 6, "'yesterdy' is not a time"),
        ("since:999999w", 6, "'999999w' is not a time"),
        ('text:"open', 5, "Unclosed quotation mark"),
        ('"', 0, "Unclosed quotation mark"),
        ('a"b', 1, "Unclosed quotation mark"),
        ("risk:", 5, "The field risk has no value"),
        ("-", 1, "The query ends where a term should follow"),
        ("*", 0, "The text has no letter and no digit"),
        ('text:""', 5, "The field text has no value"),
        ("a\0b", 1, "The query has a control character, U+0000"),
        ("requester:a \x1b[2J", 12, "The query has a control character, U+001B"),
        ('text:"\udc80"', 6, "The query has a control character, U+DC80"),
        ("x" * 10_000, 1000, "The query is longer than 1000 characters"),
    ],
)
async def test_typo_is_pointed_at(log: SqliteHistoryStore, filter_: str, position: int, said: str) -> None:
    """What cannot be understood is named, with the character at which it stands."""
    with pytest.raises(QueryError) as raised:
        await log.read.summaries(filter_)
    assert (position, True) == (raised.value.position, raised.value.title.startswith(said))


def test_near_words_are_offered() -> None:
    """A slip of the finger gets the word that was meant."""
    with pytest.raises(QueryError, match=r"Did you mean reviewer\?"):
        parse("reviever:alice", NOW)
    with pytest.raises(QueryError, match=r"Did you mean critical\?"):
        parse("risk:critcal", NOW)


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_an_error(text: str) -> None:
    """No text makes the parser fail in another way, or hang."""
    position = 0
    try:
        parse(text, NOW)
    except QueryError as error:
        position = error.position
    assert 0 <= position <= len(text)


@settings(max_examples=50)
@given(st.text(alphabet='abc:"\\*-,> 1d\0\n\x85', max_size=40))
def test_any_filter_is_valid_sql(text: str) -> None:
    """Whatever the parser lets through, SQLite and its full-text search understand."""

    from engine.history.store.sql.queries import summaries  # noqa: PLC0415
    from engine.history.store.sqlite.schema import TABLES  # noqa: PLC0415

    try:
        terms = parse(text, NOW)
    except QueryError:
        return
    connection = sqlite3.connect(":memory:", factory=SqliteConnection)
    connection.executescript(TABLES)
    assert () == summaries(connection, terms, None, 10)
    connection.close()


def test_completion() -> None:
    """The word under the cursor is completed: keys first, then their values."""
    assert ("risk:",) == complete("ri")
    assert ("since:7d -risk:",) == complete("since:7d -ri")
    assert ("risk:critical",) == complete("risk:c")
    assert ("risk:low,high",) == complete("risk:low,h")
    assert "text:" in complete("")
    assert () == complete("requester:a")


async def test_facets_of_all(filled: SqliteHistoryStore) -> None:
    """Every case is counted once under each kind, whatever states it went through."""
    facets = await filled.read.facets()
    assert (5, True) == (facets.total, facets.exact)
    assert {"low": 3, "critical": 1, "high": 1} == facets.counts["risk"]
    assert {"python": 3, "javascript": 1, "shell": 1} == facets.counts["lang"]
    assert {"memory": 1, "none": 1} == facets.counts["kill"]
    assert {"agent": 2, "bot-1": 1, "bot-2": 1, "a b": 1} == facets.counts["requester"]


@pytest.mark.parametrize(
    "filter_", ["risk:low", "reviewer:alice", "since:7d", "text:print", "-kill:memory", "decision:denied"]
)
async def test_facets_agree_with_what_is_listed(filled: SqliteHistoryStore, filter_: str) -> None:
    """The counts of a filter are those of the cases that it lists."""
    rows = await filled.read.summaries(filter_)
    facets = await filled.read.facets(filter_)
    assert len(rows) == facets.total
    risks = {row.risk.value for row in rows}
    assert {risk: sum(row.risk == risk for row in rows) for risk in risks} == facets.counts["risk"]


async def test_facets_follow_a_case(log: SqliteHistoryStore, make_case: Callable[..., Case]) -> None:
    """A case that changes is counted as what it is, and no more as what it was."""
    for status in (Status.PENDING, Status.QUEUED, Status.RUNNING, Status.FINISHED):
        await log.append("claim.created", "a", ALICE, {}, case=make_case("a", status=status))
    assert {"finished": 1} == (await log.read.facets()).counts["status"]


async def test_texts_are_indexed_when_idle(log: SqliteHistoryStore, make_case: Callable[..., Case]) -> None:
    """What was submitted is found by its text soon after, with nobody asking for it."""
    await log.append("claim.created", "a", ALICE, {}, case=make_case("a", "needle = 1"))
    async with asyncio.timeout(10):
        while not await log.read.summaries("needle"):
            pass  # each read goes through a thread, so the writer gets its turn


WAYS = [(50_000, 100_000), (50_000, 0), (0, 100_000), (0, 0)]
"""By the rarest part, with the texts held and without; case by case, with them and without."""
ASKED = (
    "text:pandas",
    "-text:pandas risk:high",
    "text:made kill:timeout",
    "text:re*",
    "reviewer:al*",
    "exit:0 until:2026-03-01",
    "(kill:timeout OR text:pandas) -risk:low",
    "code:made -output:xx*",
    "approver:alice OR purpose:report",
)


@pytest.mark.parametrize("filter", ASKED)
async def test_every_way_to_look_up_finds_the_same(
    filter: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is rare and what is common are looked up in different ways, with the same result."""
    path = tmp_path_factory.getbasetemp() / "asked" / "pratique.db"
    if not path.exists():
        seed_history(path, 300, seed=3)
    found = []
    for rare, kept in WAYS:
        monkeypatch.setattr(planner, "RARE", rare)
        monkeypatch.setattr(texts, "KEPT", kept)
        log = await SqliteHistoryStore.open(path, HistorySettings())
        found.append([row.id for row in await log.read.summaries(filter)])
        await log.close()
    assert found[0]
    assert [found[0]] * len(WAYS) == found


async def test_what_takes_too_long_to_count_is_counted_over_the_newest(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facets that are not those of all that was found say so, and are those of the newest."""
    seed_history(path, 30, seed=1)
    monkeypatch.setattr(facets, "LEAST", 7)
    monkeypatch.setattr(facets, "SECONDS", -1.0)
    log = await SqliteHistoryStore.open(path, HistorySettings())
    some, newest = await log.read.facets("text:made"), await log.read.summaries("text:made", limit=7)
    few = await log.read.facets(f"text:made id:{newest[0].id}")
    await log.close()
    assert (7, False) == (some.total, some.exact)
    assert Counter(row.risk for row in newest) == some.counts["risk"]
    assert (1, True) == (few.total, few.exact)
