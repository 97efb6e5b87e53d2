"""Histories of every released format are opened, read, verified and continued; others are refused."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from engine.history.errors import HistoryError
from engine.history.store.sql import cases, row_formats
from engine.history.store.sql.row_formats import RowFormat
from engine.history.store.sqlite import schema
from engine.history.store.sqlite.connect import open_reader
from engine.history.store.sqlite.scan import every_case
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.history.summary import summary_of
from engine.models import Case, Summary
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case
from tests.engine.history.make_fixture import ALICE, ARTIFACT, BEGIN, FOLDER, OUTPUT, fixture_cases

RELEASED = sorted(FOLDER.iterdir())


@pytest.fixture(params=RELEASED, ids=lambda folder: folder.name)
def released(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the path of a copy of a history of a released format."""
    copy = tmp_path / "state"
    shutil.copytree(request.param, copy)
    return copy / "pratique.db"


@contextlib.asynccontextmanager
async def open_store(path: Path) -> AsyncIterator[SqliteHistoryStore]:
    """Open the history at `path` for the time of a block."""
    store = await SqliteHistoryStore.open(path, HistorySettings())
    try:
        yield store
    finally:
        await store.close()


def test_the_current_format_has_a_fixture() -> None:
    """`python -m tests.engine.history.make_fixture` was run for the current format."""
    assert f"format-{schema.VERSION}" in [folder.name for folder in RELEASED]


async def test_a_released_format_is_read(released: Path) -> None:
    """Every case, its summary, output, meters and artifacts come back as they were written."""
    async with open_store(released) as store:
        for case in fixture_cases():
            assert case == await store.read.case(case.submission.id)
        summaries = {row.id: row for row in await store.read.summaries()}
        assert {case.submission.id: summary_of(case) for case in fixture_cases()} == summaries
        assert ["s-pending"] == [case.submission.id for case in await store.read.open_cases()]
        assert [OUTPUT] == [chunk.data for chunk in await store.read.output("s-finished")]
        assert [0.5] == [sample.at for sample in await store.read.meters("s-killed")]
        assert ARTIFACT == await store.read.artifact("s-finished", "out.csv")


async def test_a_released_format_is_found_by_search(released: Path) -> None:
    """Filters, texts and counts find what was recorded in a released format."""
    async with open_store(released) as store:
        assert ["s-killed"] == [row.id for row in await store.read.summaries("kill:timeout")]
        assert {"low": 2, "high": 1, "critical": 1} == (await store.read.facets()).counts["risk"]


async def test_a_released_format_is_intact(released: Path) -> None:
    """A history of a released format verifies, its checkpoint included."""
    async with open_store(released) as store:
        found = await store.verify()
    assert (True, "") == (found.intact, found.problem)
    assert found.checkpoints >= 1


async def test_a_released_format_is_continued(released: Path) -> None:
    """What is appended to a history of a released format continues its chain."""
    async with open_store(released) as store:
        before = await store.read.events()
        event = await store.append("claim.created", "s-new", ALICE, {}, case=build_case("s-new"))
        assert before[-1].hash == event.previous
        assert (await store.verify()).intact
    async with open_store(released) as store:
        assert build_case("s-new") == await store.read.case("s-new")
        assert (await store.verify()).intact


async def test_a_change_in_a_released_format_is_found(released: Path) -> None:
    """One column of one row, changed on disk, is found."""
    execute(released, "UPDATE cases SET risk = 'low' WHERE id = 's-killed'")
    async with open_store(released) as store:
        found = await store.verify()
    assert not found.intact
    assert "the case s-killed was changed" in found.problem


class LargerSummary(Summary):
    """A summary with one field more."""

    region: str | None = None


@pytest.fixture
def next_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this the next version: its summaries, rows and tables have one column more."""
    newest = row_formats.current()
    columns = (*newest.columns, "region")
    monkeypatch.setitem(row_formats.FORMATS, newest.number + 1, RowFormat(newest.number + 1, columns))
    upgrade = ("ALTER TABLE cases ADD COLUMN region TEXT",)
    monkeypatch.setattr(schema, "UPGRADES", {**schema.UPGRADES, schema.VERSION: upgrade})
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(cases, "summary_of", larger_summary_of)


def larger_summary_of(case: Case) -> LargerSummary:
    """Return the summary of a case in the next version."""
    return LargerSummary.model_validate({**summary_of(case).model_dump(), "region": "eu"})


@pytest.mark.usefixtures("next_version")
async def test_the_format_can_grow(released: Path) -> None:
    """With one more column, old rows still verify, beside new ones that have it."""
    async with open_store(released) as store:
        assert (await store.verify()).intact
        await store.append("claim.created", "s-new", ALICE, {}, case=build_case("s-new"))
        again = build_case("s-pending", "print(input())\n", submitted_at=BEGIN + timedelta(minutes=3))
        await store.append("claim.created", "s-pending", ALICE, {}, case=again)
        assert (await store.verify()).intact
        assert fixture_cases()[0] == await store.read.case("s-finished")
    assert {("s-finished", None), ("s-new", "eu"), ("s-pending", "eu")} <= regions(released)


@pytest.mark.usefixtures("next_version")
@pytest.mark.parametrize(
    ("changed", "id"),
    [
        ("requester = 'mallory' WHERE id = 's-finished'", "s-finished"),
        ("format = format + 1 WHERE id = 's-finished'", "s-finished"),
        ("format = 99 WHERE id = 's-finished'", "s-finished"),
        ("region = 'us' WHERE id = 's-new'", "s-new"),
        ("region = 'us' WHERE id = 's-finished'", "s-finished"),
        ("format = format - 1 WHERE id = 's-new'", "s-new"),
    ],
)
async def test_a_change_is_found_after_growth(released: Path, changed: str, id: str) -> None:
    """A changed column of an old row or of a new one is found; so is a changed format."""
    async with open_store(released) as store:
        await store.append("claim.created", "s-new", ALICE, {}, case=build_case("s-new"))
    execute(released, f"UPDATE cases SET {changed}")
    async with open_store(released) as store:
        found = await store.verify()
    assert f"the case {id} was changed" in found.problem


@pytest.mark.parametrize("version", [1, schema.OLDEST - 1, schema.VERSION + 1, 99])
async def test_other_formats_are_refused(released: Path, version: int) -> None:
    """A history of an older format, or of a newer one, is left alone; the error says what to type."""
    execute(released, f"PRAGMA user_version = {version}")
    content = released.read_bytes()
    with pytest.raises(HistoryError, match=rf"has format {version}, .*") as raised:
        await SqliteHistoryStore.open(released, HistorySettings())
    assert "ype: " in raised.value.hint
    for read in (lambda: open_reader(released, lambda: False), lambda: list(every_case(released))):
        with pytest.raises(HistoryError, match=f"has format {version}, "):
            read()
    assert content == released.read_bytes()


async def test_an_older_format_is_put_aside_as_the_error_says(released: Path) -> None:
    """What the error says to type keeps the older history and lets a new one start."""
    execute(released, "PRAGMA user_version = 3")
    aside = released.parent / "format-3"
    with pytest.raises(HistoryError) as raised:
        await SqliteHistoryStore.open(released, HistorySettings())
    assert raised.value.hint.endswith(f"mkdir {aside} && mv {released}* {aside}")
    aside.mkdir()
    for file in released.parent.glob(f"{released.name}*"):
        file.rename(aside / file.name)
    async with open_store(released) as store:
        await store.append("claim.created", "s-new", ALICE, {})
        assert (await store.verify()).intact


def execute(path: Path, statement: str) -> None:
    """Change the database behind the store's back."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def regions(path: Path) -> set[tuple[str, str | None]]:
    """Return the new column of each row."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return set(connection.execute("SELECT id, region FROM cases"))
