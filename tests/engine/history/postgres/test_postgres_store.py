"""What the history in PostgreSQL does when the server, the line or a person interferes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from engine.common.text import Untrusted
from engine.history.api import HistoryStore
from engine.history.errors import HistoryError, HistoryHeldError
from engine.history.store.open import open_history
from engine.history.store.postgres.words import words_of
from engine.models import Event
from engine.settings import HistorySettings
from tests.conformance.history_stores import ALICE, record
from tests.engine.history.conftest import build_case
from tests.postgres_proxy import Cut, CuttingProxy
from tests.postgres_server import PostgresServer, server

SECONDS = 30.0


def settings(url: str) -> HistorySettings:
    """Return settings that keep the history at a URL."""
    return HistorySettings(database=url, batch_milliseconds=5, write_deadline_seconds=SECONDS)


async def opened(url: str, path: Path) -> HistoryStore:
    """Open the history at a URL."""
    return await open_history(settings(url), path / "pratique.db", None)


async def append(store: HistoryStore, number: int) -> Event:
    """Append an event that says its number."""
    return await store.append("history.viewed", "", ALICE, {"n": number})


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of an empty database."""
    return server().database(f"of_{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:16]}")


@pytest.fixture
async def store(url: str, tmp_path: Path) -> AsyncIterator[HistoryStore]:
    """Yield the history in it."""
    store = await opened(url, tmp_path)
    yield store
    await store.close()


@pytest.fixture
def proxy(url: str) -> Iterator[CuttingProxy]:
    """Yield a proxy before the server."""
    proxy = CuttingProxy(url)
    yield proxy
    proxy.close()


def execute(url: str, statement: str) -> list[Any]:
    """Execute a statement behind the engine's back."""
    with psycopg.connect(url, autocommit=True, options="-c search_path=pratique") as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def cut_off(url: str) -> None:
    """End the session of the engine that writes, and wait until it has ended."""
    assert [(True,)] == execute(
        url,
        "SELECT pg_terminate_backend(pid, 30000) FROM pg_locks JOIN pg_database ON oid = database "
        "WHERE locktype = 'advisory' AND datname = current_database() AND granted",
    )


async def waits(url: str) -> None:
    """Return once an engine waits until the one that writes has ended."""
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    async with asyncio.timeout(20):
        while [(1,)] != await asyncio.to_thread(execute, url, waiting):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("cut", ["after", "before"])
async def test_a_commit_whose_answer_is_lost_is_resolved(
    url: str, proxy: CuttingProxy, tmp_path: Path, cut: Cut
) -> None:
    """What the server did is answered well, once; what never reached it is refused; the chain goes on."""
    store = await opened(proxy.url, tmp_path)
    try:
        await append(store, 1)
        proxy.arm(cut)
        if cut == "after":
            assert 2 == (await append(store, 2)).seq
        else:
            with pytest.raises(HistoryError):
                await append(store, 2)
        await append(store, 3)
        assert 1 == proxy.cuts
        assert ([1, 2, 3] if cut == "after" else [1, 3]) == [
            event.data["n"] for event in await store.read.events() if event.type == "history.viewed"
        ]
        assert (await store.verify()).intact
    finally:
        await store.close()


@pytest.mark.parametrize("how", ["fast", "immediate"])
async def test_a_server_that_was_started_again_goes_on(tmp_path: Path, how: str) -> None:
    """Nothing that was answered is lost when the server stops, and appending goes on when it is back."""
    folder = tmp_path / "server"
    own = await asyncio.to_thread(PostgresServer.make)
    try:
        store = await opened(own.database("history"), folder)
        for number in range(20):
            await append(store, number)
        await asyncio.to_thread(own.stop, how)
        with pytest.raises(HistoryError, match="PostgreSQL does not answer") as down:
            await append(store, 20)
        assert "pg_isready" in down.value.hint
        await asyncio.to_thread(own.start)
        await append(store, 21)
        numbers = [event.data["n"] for event in await store.read.events() if event.type == "history.viewed"]
        assert [*range(20), 21] == numbers
        assert (await store.verify()).intact
        await store.close()
    finally:
        await asyncio.to_thread(own.end)


async def test_an_engine_that_another_one_replaced_writes_nothing(
    store: HistoryStore, url: str, tmp_path: Path
) -> None:
    """Whose line was lost while another engine wrote is refused, also once that one has ended."""
    await append(store, 1)
    opening = asyncio.create_task(opened(url, tmp_path))
    await waits(url)
    cut_off(url)
    other = await opening
    await append(other, 2)
    await other.close()
    for number in (3, 4):
        with pytest.raises(HistoryHeldError, match="Another engine has written"):
            await append(store, number)
    assert [(1,), (2,)] == execute(
        url, "SELECT (data::json ->> 'n')::int FROM events WHERE type = 'history.viewed' ORDER BY seq"
    )


async def test_an_engine_whose_line_was_lost_in_between_goes_on(store: HistoryStore, url: str) -> None:
    """Where nobody else wrote, nothing is refused."""
    await append(store, 1)
    cut_off(url)
    await append(store, 2)
    assert (await store.verify()).intact


async def test_the_role_is_no_superuser(store: HistoryStore, url: str) -> None:
    """The history is made and written by a role that has no right but to its own database."""
    await append(store, 1)
    assert [(False, False, False)] == execute(
        url, "SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user"
    )


async def test_a_role_that_may_not_create_is_told_what_to_grant(url: str, tmp_path: Path) -> None:
    """The error names what to type."""
    server().database("poor")
    poor = f"postgresql://poor@{url.partition('@')[2]}"
    with pytest.raises(HistoryError, match="lacks a privilege") as refused:
        await opened(poor, tmp_path)
    assert "GRANT" in refused.value.hint


async def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Nothing falls back to a file."""
    with pytest.raises(HistoryError, match="PostgreSQL does not answer at postgresql://a@127"):
        await opened("postgresql://a@127.0.0.1:1/b", tmp_path)
    assert not (tmp_path / "pratique.db").exists()


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("CREATE TABLE more (n BIGINT)", "the table more was added"),
        ("DROP INDEX cases_risk", "the index cases_risk is missing"),
        ("CREATE RULE quiet AS ON DELETE TO events DO INSTEAD NOTHING", "the rule quiet was added"),
        ("ALTER TABLE events ENABLE ROW LEVEL SECURITY", "the row security events was added"),
        (
            "CREATE OR REPLACE FUNCTION instr(text, text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
            "the functions of the database were changed",
        ),
        ("UPDATE texts SET words = ' other '", "the index of texts was changed"),
        ("UPDATE texts SET lexemes = ''::tsvector", "the index of texts was changed"),
        ("DELETE FROM texts", "the index of texts was changed"),
        ("UPDATE facts SET value = -value", "the index of facts was changed"),
        ("UPDATE daily_counts SET count = 7", "the table daily_counts was changed"),
        ("UPDATE signed_head SET note = ''", "is not signed by this engine"),
    ],
)
async def test_what_a_database_administrator_changes_is_found(
    store: HistoryStore, url: str, tmp_path: Path, statement: str, problem: str
) -> None:
    """Tables, functions, indexes and counts are compared with what follows from the records."""
    await record(store, build_case("s1", "print('hello')\n"))
    await _indexed(store, "text:hello")
    assert (await store.verify()).intact
    execute(url, statement)
    found = await store.verify()
    assert not found.intact
    assert problem in found.problem


async def _indexed(store: HistoryStore, filter: str) -> None:
    async with asyncio.timeout(SECONDS):
        while not await store.read.summaries(filter):
            await asyncio.sleep(0.02)


async def test_words_are_found_as_phrases_and_by_their_beginning(store: HistoryStore) -> None:
    """Small and capital letters and accents are the same; the order of the words counts."""
    await record(store, build_case("s1", "print('Grüße an die Welt')  # bank_account_7\n"))
    await _indexed(store, "text:welt")
    for fits in ('text:"AN die welt"', "text:GRUßE", "text:ban*", 'text:"account 7"', 'text:"bank_acc"*'):
        assert ["s1"] == [row.id for row in await store.read.summaries(fits)], fits
    for other in ('text:"die an"', "text:wel", "text:ank*"):
        assert () == await store.read.summaries(other), other


def test_words() -> None:
    """Words are letters and digits, small and without accents."""
    assert ["uber", "den", "x1", "y", "привет"] == words_of("Über-den x1_y ПРИВЕТ!")


async def test_a_name_with_a_nul_is_kept(store: HistoryStore) -> None:
    """Whoever calls itself so is found by it."""
    event = await store.append("history.viewed", "", Untrusted("a\x00b"), {"said": "\x00"})
    assert (event,) == await store.read.events()
    assert (await store.verify()).intact


async def test_a_newer_format_is_refused(url: str, tmp_path: Path) -> None:
    """An older engine leaves a newer history alone."""
    await (await opened(url, tmp_path)).close()
    execute(url, "UPDATE format SET number = 99")
    with pytest.raises(HistoryError, match="has format 99, of a newer version"):
        await opened(url, tmp_path)
