"""The twelve questions of docs/investigating.md, asked in History over a made-up history, by keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.widgets import Input

from console.history.facet_list import FacetList
from console.history.table import HistoryTable
from engine.history.devtools.seed import seed_history
from engine.history.store.sql.connections import ConnectionPool
from engine.history.store.sql.reader import SqlHistoryReader
from engine.history.store.sqlite.database import SqliteDatabase
from engine.models import Case, Facets, Summary
from engine.models.history import Counts, Total
from tests.console.support.fake_engine import FakeEngine, FakeHistory
from tests.console.support.harness import frame, open_console, press, until
from tests.questions import QUESTIONS, RUNS, SEED


class StoredHistory(FakeHistory):
    """Answers searches from a history on disk."""

    def __init__(self, engine: FakeEngine, reader: SqlHistoryReader) -> None:
        super().__init__(engine)
        self._reader = reader

    async def search(
        self, filter: str = "", before: str | None = None, limit: int = 200, sort: str = ""
    ) -> tuple[Summary, ...]:
        """Return what matches."""
        return await self._reader.summaries(filter, before, limit, sort=sort)

    async def total(self, filter: str = "") -> Total:
        """Return how many match."""
        return await self._reader.total(filter)

    async def counts(self, filter: str, by: str) -> Counts:
        """Count what matches."""
        return await self._reader.counts(filter, by)

    async def facets(self, filter: str = "") -> Facets:
        """Count what matches by the columns."""
        return await self._reader.facets(filter)


class StoredCases(FakeEngine):
    """Knows the submissions of a history on disk."""

    def __init__(self, reader: SqlHistoryReader) -> None:
        super().__init__()
        self._reader = reader
        self.history = StoredHistory(self, reader)

    async def case(self, id: str, within: float = 0) -> Case:
        """Return a submission."""
        found = await self._reader.case(id)
        assert found is not None
        return found


@pytest.fixture
async def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeEngine]:
    """Return an engine with a made-up history."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    path = tmp_path / "history" / "pratique.db"
    seed_history(path, RUNS, seed=SEED)
    pool = ConnectionPool(SqliteDatabase(path), 60.0)
    yield StoredCases(SqlHistoryReader(pool))
    pool.close()


async def test_every_question_takes_three_keys_beyond_its_text(engine: FakeEngine) -> None:
    """`/`, the text, Enter lists what is found; `f` counts it by agent, reviewer and status."""
    async with open_console(engine, (160, 70)) as (app, pilot):
        await press(pilot, "4")
        table, facets = app.screen.query_one(HistoryTable), app.screen.query_one(FacetList)
        await until(pilot, lambda: table.count > 0)
        for question in QUESTIONS:
            expected = [row.id for row in await engine.history.search(question.query())]
            most = next(iter((await engine.history.counts(question.query(), question.by)).counts))
            await press(pilot, "slash")
            app.screen.query_one("#filter", Input).value = question.query()
            await press(pilot, "enter")
            await until(pilot, lambda: [row.id for row in table.loaded] == expected)  # noqa: B023  awaited at once
            await press(pilot, "f")
            total = f"Facets of {len(expected):,}"
            await until(pilot, lambda: total in str(facets.border_title))  # noqa: B023
            await until(pilot, lambda: most in frame(app))  # noqa: B023
            await press(pilot, "f", "escape")
