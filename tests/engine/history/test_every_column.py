"""Every column of every table is covered: what is changed in it without the key is found."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.common.text import Untrusted
from engine.history.chain.signing_key import signing_key
from engine.history.errors import HistoryError
from engine.history.store.sql.blobs import digest_of
from engine.history.store.sql.facts.index import index_some as index_facts
from engine.history.store.sqlite import schema
from engine.history.store.sqlite.connect import open_writer
from engine.history.store.sqlite.database import open_source
from engine.history.store.sqlite.derived import CACHES, COVERED
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.history.verify.verifier import verify
from engine.history.witness import checkpoint_file
from engine.models import Artifact, KillReason, OutputChunk, Status, Stream
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case
from tests.engine.history.make_fixture import fixture_cases, write_case

ALICE = Untrusted("alice")
SHADOWS = ("fulltext_data", "fulltext_idx", "fulltext_docsize", "fulltext_config")
"""Where SQLite keeps the index of texts."""


async def fill(path: Path) -> None:
    """Write a history with something in every table, the full subtrees of 2,048 records among it."""
    store = await SqliteHistoryStore.open(path, HistorySettings(batch_milliseconds=5))
    for case in fixture_cases():
        await write_case(store, case)
    shared = build_case("s-shared", "print(1)\n", status=Status.KILLED, kill_reason=KillReason.MEMORY)
    await store.append("claim.created", "s-shared", ALICE, {}, case=shared)
    await store.append_output("s-shared", [OutputChunk(stream=Stream.STDOUT, at=0, offset=0, data=b"more\n")])
    await store.append("claim.released", "s-shared", ALICE, {}, case=shared)
    content = b"left behind"
    artifact = Artifact(name=Untrusted("b.txt"), size=len(content), digest=digest_of(content))
    await store.append_artifact("s-shared", artifact, content)
    await store.append_many([("history.viewed", "", ALICE, {"n": n}) for n in range(2100)])
    await store._writer.do(lambda ledger: ledger.connection.dialect.index_texts())
    while await store._writer.do(lambda ledger: index_facts(ledger.connection)):
        pass
    await store.close()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of such a history."""
    path = tmp_path_factory.mktemp("original") / "pratique.db"
    asyncio.run(fill(path))
    return path


def problem(path: Path) -> str:
    """Return what verification finds in a history that nobody has opened since."""
    key = signing_key(path.with_suffix(".key")).public_key()
    try:
        source = open_source(path)
        with contextlib.closing(source._connection):
            return verify(source, checkpoint_file.notes(Path(f"{path}.checkpoints")), key).problem
    except (sqlite3.Error, HistoryError) as error:
        return str(error) or "an error"


def searches(path: Path) -> list[object]:
    """Return what a search for each word of the contents finds."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'fulltext', 'row')")
        words = connection.execute("SELECT term FROM temp.words").fetchall()
        find = "SELECT rowid FROM fulltext WHERE fulltext MATCH ?"
        return [(word, connection.execute(find, (f'"{word}"',)).fetchall()) for (word,) in words]


@contextlib.contextmanager
def copied(original: Path, folder: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """Copy a history for one change, and open the copy behind the engine's back."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original.parent, folder)
    path = folder / original.name
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        yield path, connection


def tables(connection: sqlite3.Connection) -> list[str]:
    """Return all tables that hold rows of their own."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in rows if name != "fulltext" and not name.startswith("sqlite_")]


def columns(connection: sqlite3.Connection, table: str) -> list[tuple[str, bool]]:
    """Return the columns of a table, and whether each is a part of its key."""
    return [(row[1], bool(row[5])) for row in connection.execute(f"PRAGMA table_info({table})")]


def other_values(value: Any) -> list[Any]:
    """Return values in the place of one, each of which says something else."""
    if isinstance(value, bool | int):
        return [value + 1, value - 1, value + 1_000_000, None]
    if isinstance(value, float):
        return [value + 0.001, -value, None]
    if isinstance(value, str):
        return [value + " ", value[:-1], value.swapcase(), value.encode(), None]
    if isinstance(value, bytes):
        return [value[:-1] + bytes([value[-1] ^ 1]) if value else b"x", value + b"\x00", None]
    return ["x", 1, 0.5]


TABLES = [*COVERED, *SHADOWS]


def test_every_table_is_listed(original: Path) -> None:
    """What covers each table is said in the code, for no more and no fewer tables than there are."""
    with contextlib.closing(sqlite3.connect(original)) as connection:
        names = tables(connection)
    assert sorted({*COVERED, *SHADOWS} - {"fulltext"}) == sorted(names)
    assert "" == problem(original)


@pytest.mark.parametrize("table", [name for name in TABLES if name != "fulltext"])
def test_a_changed_value_is_found(original: Path, tmp_path: Path, table: str) -> None:
    """Each value of a first, a middle and a last row, changed in several ways, is found."""
    unnoticed = []
    with contextlib.closing(sqlite3.connect(original)) as connection:
        named = [name for name, _ in columns(connection, table)]
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()
    keys = [name for name, is_key in columns(sqlite3.connect(original), table) if is_key] or named
    for row in {0: rows[0], len(rows) // 2: rows[len(rows) // 2], len(rows) - 1: rows[-1]}.values():
        values = dict(zip(named, row, strict=True))
        for name in named:
            for other in other_values(values[name]):
                if other == values[name]:
                    continue
                with copied(original, tmp_path / "copy") as (path, connection):
                    where = " AND ".join(f"{key} IS ?" for key in keys)
                    try:
                        connection.execute(
                            f"UPDATE {table} SET {name} = ? WHERE {where}",
                            (other, *(values[key] for key in keys)),
                        )
                    except sqlite3.Error:
                        continue  # the table itself does not take it
                if not problem(path) and not (table in CACHES and searches(path) == searches(original)):
                    unnoticed.append((name, values[name], other))
    assert [] == unnoticed


@pytest.mark.parametrize("table", [name for name in TABLES if name != "fulltext"])
def test_a_removed_row_is_found(original: Path, tmp_path: Path, table: str) -> None:
    """A table without its first, or without its last row, is found."""
    with contextlib.closing(sqlite3.connect(original)) as connection:
        keys = [name for name, is_key in columns(connection, table) if is_key] or ["rowid"]
        rows = connection.execute(f"SELECT {', '.join(keys)} FROM {table}").fetchall()
    for row in (rows[0], rows[len(rows) // 2], rows[-1]):
        with copied(original, tmp_path / "copy") as (path, connection):
            where = " AND ".join(f"{key} = ?" for key in keys)
            assert 1 == connection.execute(f"DELETE FROM {table} WHERE {where}", row).rowcount
        assert problem(path) or (table in CACHES and searches(path) == searches(original)), row


@pytest.mark.parametrize("table", [name for name in TABLES if name not in ("fulltext", "signed_head")])
def test_an_inserted_row_is_found(original: Path, tmp_path: Path, table: str) -> None:
    """A row that is like another but for its key is found."""
    with contextlib.closing(sqlite3.connect(original)) as connection:
        described = columns(connection, table)
    unique = {"cases": {"id"}, "blobs": {"digest"}}.get(table, set())
    keys = {name for name, is_key in described if is_key} | unique
    for number, key in enumerate(sorted(keys) or ["rowid"]):
        picked = (
            [
                f"({name} || 'x')"
                if name in {"id", "digest"}
                else f"({name} + 7777)"
                if name in {"n", "seq", "rowid", "blob", "case_n", "level", "place", "segid", "term", "pgno"}
                else f"({name} || 'x')"
                if name == key
                else name
                for name, _ in described
            ]
            if key in keys
            else [name for name, _ in described]
        )
        with copied(original, tmp_path / f"copy{number}") as (path, connection):
            listed = ", ".join(name for name, _ in described)
            with contextlib.suppress(sqlite3.IntegrityError):  # the table itself does not take it
                connection.execute(
                    f"INSERT INTO {table} ({listed}) SELECT {', '.join(picked)} FROM {table} LIMIT 1"
                )
            taken = connection.execute("SELECT total_changes()").fetchone()[0]
        assert not taken or problem(path) or (table in CACHES and searches(path) == searches(original)), key


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM case_blobs; END",
        "CREATE VIEW v AS SELECT * FROM events",
        "CREATE TABLE more (x)",
        "CREATE INDEX more ON events (at)",
        "DROP INDEX cases_risk",
        "DROP TABLE requester_counts",
        "DELETE FROM events",
        "DELETE FROM cases",
        "DELETE FROM fulltext_progress",
        "DELETE FROM subtrees",
        "UPDATE cases SET n = n + 1000",
        "UPDATE blobs SET n = n + 1000",
        "UPDATE case_blobs SET case_n = case_n + 1000",
        "INSERT INTO fulltext (fulltext) VALUES ('delete-all')",
        "INSERT INTO fulltext (rowid, text) VALUES (1, 'another word')",
        "UPDATE fulltext_progress SET indexed = 0",
        "PRAGMA user_version = 4",
        "PRAGMA application_id = 1",
    ],
)
def test_a_changed_database_is_found(original: Path, tmp_path: Path, statement: str) -> None:
    """What is added to the database, taken from it, or moved as a whole, is found."""
    with copied(original, tmp_path / "copy") as (path, connection):
        connection.execute(statement)
    assert problem(path)


async def test_a_trigger_is_refused(original: Path, tmp_path: Path) -> None:
    """No engine writes into a database that does more than store what it is given."""
    with copied(original, tmp_path / "copy") as (path, connection):
        connection.execute("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM case_blobs; END")
    with pytest.raises(HistoryError, match="it has the trigger 't'"):
        await SqliteHistoryStore.open(path, HistorySettings())


async def test_another_submission_overwrites_none(original: Path, tmp_path: Path) -> None:
    """A case of an id that another submission has is refused, and nothing of it is recorded."""
    with copied(original, tmp_path / "copy") as (path, _):
        pass
    store = await SqliteHistoryStore.open(path, HistorySettings())
    before = await store.read.case("s-pending")
    other = build_case("s-pending", "print('another')\n")
    with pytest.raises(HistoryError, match="There is another submission s-pending"):
        await store.append("claim.created", "s-pending", ALICE, {}, case=other)
    assert before == await store.read.case("s-pending")
    assert (await store.verify()).intact
    await store.close()


def test_the_tables_of_an_upgraded_history_are_those_of_a_new_one(tmp_path: Path) -> None:
    """After the upgrade of a released format nothing is missing, and nothing is left over."""
    folder = Path(__file__).parents[2] / "data" / "history" / "format-4"
    shutil.copytree(folder, tmp_path / "copy")
    with contextlib.closing(open_writer(tmp_path / "copy" / "pratique.db")) as connection:
        assert [] == list(schema.foreign_objects(connection))
        upgraded = {name: [n for n, _ in columns(connection, name)] for name in tables(connection)}
    with contextlib.closing(open_writer(tmp_path / "new" / "pratique.db")) as connection:
        assert upgraded == {name: [n for n, _ in columns(connection, name)] for name in tables(connection)}
