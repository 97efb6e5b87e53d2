"""An engine signs nothing over records that no engine has signed, whoever put them into the database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.text import Untrusted
from engine.history.chain import chain
from engine.history.chain.heads import HeadSigner
from engine.history.errors import HistoryError, HistoryHeldError
from engine.history.store.open import open_history
from engine.history.store.postgres.pending_writes import MOST
from engine.history.store.sql.ledger import Ledger, NewRecord
from engine.history.store.sql.store import SqlHistoryStore
from engine.settings import HistorySettings
from tests.engine.history.postgres.several_engines import all_opened, database_of, opened, place
from tests.postgres_proxy import Cut, CuttingProxy
from tests.postgres_server import OWNER, server

ENGINES, SECONDS = 2, 60.0
ALICE, AT = Untrusted("alice"), "2026-01-01T00:00:00.000000Z"
_INSERT = "INSERT INTO pratique.events VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"


class Administrator:
    """Who may do anything in the database, and has no key of an engine."""

    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(server().url(OWNER, url.rsplit("/", 1)[1]), autocommit=True)

    def do(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """Execute a statement, and return its rows."""
        cursor = self.connection.execute(statement.encode(), values)
        return cursor.fetchall() if cursor.description else []

    def note(self) -> str:
        """Return the signed head."""
        return str(self.do("SELECT note FROM pratique.signed_head")[0][0])

    def records(self) -> int:
        """Return how many records there are."""
        return int(str(self.do("SELECT count(*) FROM pratique.events")[0][0]))

    def chain(self, type: str = "claim.created") -> chain.Record:
        """Chain a record to the last one, as an engine does."""
        ((seq, last),) = self.do("SELECT seq, hash FROM pratique.events ORDER BY seq DESC LIMIT 1")
        assert isinstance(last, bytes)
        record = chain.link(int(str(seq)) + 1, last, AT, type, "s-forged", "mallory", "{}")
        self.do(_INSERT, *record)
        return record


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of an empty database."""
    return database_of(tmp_path)


@pytest.fixture
def administrator(url: str) -> Iterator[Administrator]:
    """Yield who administers that database."""
    administrator = Administrator(url)
    with administrator.connection:
        yield administrator


@pytest.fixture
async def stores(url: str, tmp_path: Path) -> AsyncIterator[list[SqlHistoryStore]]:
    """Yield the stores of several engines that have written, and know what the others wrote."""
    async with asyncio.timeout(SECONDS), all_opened(url, tmp_path, ENGINES) as made:
        for store in (*made, *made):
            await view(store)
        yield made


async def view(store: SqlHistoryStore, number: int = 1) -> int:
    """Append a record."""
    return (await store.append("history.viewed", "", ALICE, {"n": number})).seq


@asynccontextmanager
async def held_up(store: SqlHistoryStore) -> AsyncIterator[None]:
    """Let a store do nothing for the time of a block."""
    begun, over = threading.Event(), threading.Event()

    def wait(_: Ledger) -> None:
        begun.set()
        over.wait(SECONDS)

    waits = asyncio.create_task(store._writer.alone(wait))
    await asyncio.to_thread(begun.wait, SECONDS)
    yield
    over.set()
    await waits


async def refused(store: SqlHistoryStore, problem: str) -> None:
    """Check that a store writes nothing, says why, and that Health says what to type."""
    with pytest.raises(HistoryError, match=problem) as error:
        await view(store)
    assert "Type: pratique audit verify" == error.value.hint
    (row,) = store.checks()
    assert (False, "history", "pratique audit verify") == (row.ok, row.name, row.hint)
    assert problem in row.detail.text


async def test_a_record_that_an_administrator_chained_is_not_signed(
    stores: list[SqlHistoryStore], administrator: Administrator
) -> None:
    """Whoever comes next writes nothing behind it, and signs nothing over it."""
    administrator.chain()
    signed, there = administrator.note(), administrator.records()
    for store in stores:
        await refused(store, "was added behind the signed end")
    assert (signed, there) == (administrator.note(), administrator.records())


async def test_an_engine_that_refused_once_stays_silent(
    stores: list[SqlHistoryStore], administrator: Administrator
) -> None:
    """Also where what contradicted the history is taken away again."""
    record = administrator.chain()
    await refused(stores[0], "was added behind the signed end")
    administrator.do("DELETE FROM pratique.events WHERE seq = %s", record.seq)
    await refused(stores[0], "was added behind the signed end")


async def test_what_was_recorded_of_it_is_red_in_the_health_of_all(
    stores: list[SqlHistoryStore], administrator: Administrator, url: str, tmp_path: Path
) -> None:
    """An engine that is started records what it finds, and the others that follow say so, too."""
    async with held_up(stores[1]):
        administrator.chain()
        started = await opened(url, tmp_path, ENGINES)
    await view(stores[1])
    (row,) = stores[1].checks()
    await started.close()
    assert (False, "pratique audit verify") == (row.ok, row.hint)
    assert "was added behind the signed end" in row.detail.text
    assert not (await stores[1].verify()).intact


def remove_note(administrator: Administrator) -> None:
    """Remove the signed head."""
    administrator.do("DELETE FROM pratique.signed_head")


def sign_with_another_key(administrator: Administrator) -> None:
    """Sign the end with a key of one's own."""
    signer = HeadSigner(Ed25519PrivateKey.generate())
    last = administrator.chain()
    administrator.do("UPDATE pratique.signed_head SET note = %s", signer.note(last.seq, last.hash, last.at))


def sign_in_the_name_of_the_engine(administrator: Administrator) -> None:
    """Let the signed head name another record, and keep its key and signature."""
    last, (origin, _, _, *rest) = administrator.chain(), administrator.note().split("\n")
    note = "\n".join([origin, str(last.seq), f"head {last.hash.hex()}", *rest])
    administrator.do("UPDATE pratique.signed_head SET note = %s", note)


def remove_the_last(administrator: Administrator) -> None:
    """Remove the last record, and leave its signature."""
    administrator.do("DELETE FROM pratique.events WHERE seq = (SELECT max(seq) FROM pratique.events)")


def replace_the_last(administrator: Administrator) -> None:
    """Chain another record in the place of the last one, and leave its signature."""
    remove_the_last(administrator)
    administrator.chain()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (remove_note, "was removed or changed"),
        (sign_with_another_key, "was removed or changed"),
        (sign_in_the_name_of_the_engine, "was removed or changed"),
        (remove_the_last, "is missing"),
        (replace_the_last, "is not the one that was signed"),
    ],
)
async def test_an_end_that_was_changed_is_refused(
    stores: list[SqlHistoryStore],
    administrator: Administrator,
    change: Callable[[Administrator], object],
    problem: str,
) -> None:
    """Whatever is done to the end without the key: every engine sees it, whoever wrote last."""
    with administrator.connection.transaction():
        change(administrator)
    for store in stores:
        await refused(store, problem)


async def test_an_older_end_with_its_signature_is_refused(
    stores: list[SqlHistoryStore], administrator: Administrator
) -> None:
    """Records are cut off, and the signature is put back that their predecessors had."""
    note, size = administrator.note(), administrator.records()
    await view(stores[0])
    with administrator.connection.transaction():
        administrator.do("DELETE FROM pratique.events WHERE seq > %s", size)
        administrator.do("UPDATE pratique.signed_head SET note = %s", note)
    await refused(stores[0], "is missing")


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE pratique.events SET hash = sha256('other') WHERE seq = %s", "does not follow"),
        ("UPDATE pratique.events SET previous = sha256('other') WHERE seq = %s", "does not follow"),
        ("DELETE FROM pratique.events WHERE seq = %s", "is missing"),
    ],
)
async def test_records_of_another_that_were_changed_are_not_followed(
    stores: list[SqlHistoryStore], administrator: Administrator, statement: str, problem: str
) -> None:
    """The signature over the last of them is not enough: each is bound to the one before."""
    async with held_up(stores[1]):
        changed = [await view(stores[0], number) for number in range(3)][1]
        administrator.do(statement, changed)
    await refused(stores[1], problem)


async def test_an_end_that_is_read_anew_after_a_failure_is_verified(
    stores: list[SqlHistoryStore], administrator: Administrator
) -> None:
    """A transaction that failed is no way around."""

    def fail(_: object) -> None:
        administrator.chain()
        raise HistoryError("no")

    with pytest.raises(HistoryError, match="no"):
        await stores[0]._writer.do(fail)
    await refused(stores[0], "was added behind the signed end")


async def test_one_that_writes_alone_signs_no_record_of_others(
    administrator: Administrator, url: str, tmp_path: Path
) -> None:
    """It fails at the place that is taken, reads the end anew, and finds no signature over it."""
    store = await open_history(HistorySettings(database=url), place(tmp_path, 0), None)
    await view(store)
    administrator.chain()
    with pytest.raises(HistoryError):
        await view(store)
    await refused(store, "was added behind the signed end")
    await store.close()


async def test_records_and_their_signature_are_written_together_or_not_at_all(
    stores: list[SqlHistoryStore], administrator: Administrator
) -> None:
    """An engine loses its line when its records are at the server, and their signature is not."""
    there = administrator.records()

    def write_and_die(ledger: Ledger) -> None:
        ledger.append_many([NewRecord(AT, "history.viewed", "", "alice", "{}")] * (MOST + 1))
        ledger.connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(HistoryError):
        await stores[0]._writer.do(write_and_die)
    assert there == administrator.records()
    for store in (stores[1], stores[0]):
        await view(store)
    assert (await stores[0].verify()).intact


@pytest.mark.parametrize("cut", ["after", "before"])
async def test_a_commit_whose_answer_is_lost_is_no_contradiction(
    stores: list[SqlHistoryStore], url: str, tmp_path: Path, cut: Cut
) -> None:
    """An engine knows what it signed, also where it had to find out whether that was written."""
    with closing(CuttingProxy(url)) as proxy:
        store = await opened(proxy.url, tmp_path, ENGINES)
        await view(store)
        proxy.arm(cut)
        with suppress(HistoryError):
            await view(store)
        for one in (store, *stores, store):
            await view(one)
            assert () == tuple(one.checks())
        assert 1 == proxy.cuts
        assert (await store.verify()).intact
        await store.close()


async def test_engines_go_on_after_one_that_was_fenced(
    stores: list[SqlHistoryStore], administrator: Administrator
) -> None:
    """What it wrote last is signed like everything else, and nothing that it attempts comes behind it."""
    await view(stores[0])
    administrator.do("UPDATE pratique.engines SET fenced = TRUE, token = '' WHERE name = 'e0'")
    with pytest.raises(HistoryHeldError):
        await view(stores[0])
    await view(stores[1])
    assert () == tuple(stores[1].checks())
    assert (await stores[1].verify()).intact
