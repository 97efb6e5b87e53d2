"""Each of the twelve questions of docs/investigating.md finds what reading every event finds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.history.devtools.seed import seed_history
from engine.history.search.facts.sketch import needed, sketch
from engine.history.store.sql.connections import ConnectionPool
from engine.history.store.sql.reader import SqlHistoryReader
from engine.history.store.sqlite.database import SqliteDatabase
from engine.models import Case, DecisionOutcome, Event, KillReason, Language, Level
from tests.questions import QUESTIONS, RUNS, SEED, Question

PAGE = Path(__file__).parents[4] / "docs/investigating.md"
ROW = re.compile(r"^\| (?P<words>[^|]+\?) \| `(?P<query>[^|]+)` \| `(?P<by>[a-z]+)` \|$", re.MULTILINE)
PAGE_SIZE = 500


class Made(NamedTuple):
    """A made-up case with what its events say."""

    case: Case
    contacted: frozenset[str]
    written: frozenset[str]
    printed: str

    @property
    def code(self) -> str:
        """The code."""
        return self.case.submission.draft.code.text

    @property
    def agent(self) -> str:
        """Who submitted it."""
        return self.case.submission.requester.name.text

    @property
    def at(self) -> datetime:
        """When it was submitted."""
        return self.case.submission.submitted_at

    @property
    def approved(self) -> bool:
        """Whether it was approved."""
        return self.case.decision is not None and self.case.decision.outcome is DecisionOutcome.APPROVED

    @property
    def asked(self) -> frozenset[str]:
        """The hosts that it asked for."""
        return frozenset(name.text for name in self.case.submission.draft.permissions.domains)

    @property
    def waited(self) -> timedelta:
        """How long it waited for its decision."""
        assert self.case.decision is not None
        return self.case.decision.at - self.at

    @property
    def greedy(self) -> bool:
        """Whether its run took too much, or long."""
        result = self.case.result
        greedy = {KillReason.MEMORY, KillReason.TIMEOUT}
        return result is not None and (result.kill_reason in greedy or result.duration > 10)

    def value(self, field: str) -> str:
        """Return what is counted."""
        case = self.case
        reviewer = case.decision.by.name.text if case.decision else ""
        return {"requester": self.agent, "reviewer": reviewer, "status": case.status.value}[field]


Fits = Callable[[Made, dict[str, Made]], bool]
HOST = "host-7.example"


def _like(one: Made, known: dict[str, Made]) -> bool:
    wanted = sketch(known["s-000000100"].code)
    return len(wanted & sketch(one.code)) >= needed(len(wanted))


NAIVE: tuple[Fits, ...] = (
    lambda one, _: HOST in one.contacted,
    lambda one, _: HOST in one.contacted and one.approved,
    lambda one, _: HOST in one.asked and not one.approved,
    lambda one, _: one.agent == "agent-1" and f"{one.at:%Y-%m-%d}" in {"2026-02-28", "2026-03-01"},
    lambda one, known: _like(one, known) and one.at < datetime(2025, 12, 1, tzinfo=UTC),
    lambda one, _: "import requests" in one.code,
    lambda one, _: any(path.startswith("/workspace/requests-34") for path in one.written),
    lambda one, _: "result of 34:" in one.printed,
    lambda one, _: one.case.assessment.risk is Level.CRITICAL and one.approved,
    lambda one, _: (
        one.case.assessment.risk in {Level.HIGH, Level.CRITICAL}
        and one.approved
        and one.waited < timedelta(seconds=2)
    ),
    lambda one, _: one.greedy,
    lambda one, _: (
        "plot" in one.case.submission.draft.purpose.text.lower()
        and one.case.submission.draft.language is Language.SHELL
        and bool(one.contacted)
        and bool(one.written)
    ),
)
"""What each question asks, in the order of the questions, without the query language or an index."""


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a made-up history."""
    path = tmp_path_factory.mktemp("questions") / "pratique.db"
    seed_history(path, RUNS, seed=SEED)
    return path


@pytest.fixture
async def reader(seeded: Path) -> AsyncIterator[SqlHistoryReader]:
    """Read it."""
    pool = ConnectionPool(SqliteDatabase(seeded), 60.0)
    yield SqlHistoryReader(pool)
    pool.close()


def test_the_page_lists_these_questions() -> None:
    """Words, query and counted field of each, in the same order."""
    listed = [(row["words"], row["query"], row["by"]) for row in ROW.finditer(PAGE.read_text("utf-8"))]
    assert [(one.words, one.query(), one.by) for one in QUESTIONS] == listed


async def test_each_question_finds_what_reading_everything_finds(reader: SqlHistoryReader) -> None:
    """The same submissions, the same total, the same counts; and each question finds some, but not all."""
    made = await _everything(reader)
    for question, fits in zip(QUESTIONS, NAIVE, strict=True):
        expected = {id for id, one in made.items() if fits(one, made)}
        assert 0 < len(expected) < RUNS, question.words
        await _asked(reader, question, {id: made[id] for id in expected})


async def _asked(reader: SqlHistoryReader, question: Question, expected: dict[str, Made]) -> None:
    query = question.query()
    found = [row.id for row in await reader.summaries(query, limit=RUNS)]
    assert sorted(expected) == sorted(found), question.words
    total = await reader.total(query)
    counted = Counter(one.value(question.by) for one in expected.values())
    counts = await reader.counts(query, question.by)
    assert (len(expected), counted) == (total.count, Counter(counts.counts)), question.words


async def _everything(reader: SqlHistoryReader) -> dict[str, Made]:
    events, last, found = list[Event](), 0, dict[str, Made]()
    while page := await reader.events(last):
        events += page
        last = page[-1].seq
    by_subject: dict[str, list[Event]] = {}
    for event in events:
        by_subject.setdefault(event.subject, []).append(event)
    for number in range(RUNS):
        id = f"s-{number:09}"
        case = await reader.case(id)
        assert case is not None
        found[id] = await _made(reader, case, by_subject[id])
    return found


async def _made(reader: SqlHistoryReader, case: Case, events: list[Event]) -> Made:
    contacted = (event.data["host"] for event in events if event.type == "network.attempt")
    effects = (one for event in events if event.type == "run.effects" for one in event.data["effects"])
    written = (one["target"] for one in effects if one["kind"] == "write")
    output = await reader.output(case.submission.id) if case.result else ()
    printed = b"".join(chunk.data for chunk in output).decode()
    return Made(case, frozenset(contacted), frozenset(written), printed)
