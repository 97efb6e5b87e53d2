"""Several engines append to one chain at the same time, whatever becomes of one of them."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import psycopg
import pytest

from engine.common.text import Untrusted
from engine.history.api import Once
from engine.history.errors import HistoryError, HistoryHeldError, SupersededError
from engine.history.store.open import open_history
from engine.history.store.sql.store import SqlHistoryStore
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case
from tests.engine.history.postgres.several_engines import all_opened, database_of, opened, place
from tests.postgres_proxy import CuttingProxy

ENGINES, EACH, ANSWERS, SECONDS = 3, 60, 120, 90.0
ALICE = Untrusted("alice")
WRITER = "tests.engine.history.postgres.several_writer"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of an empty database."""
    return database_of(tmp_path)


@pytest.fixture
async def stores(url: str, tmp_path: Path) -> AsyncIterator[list[SqlHistoryStore]]:
    """Yield the stores of several engines."""
    async with asyncio.timeout(SECONDS), all_opened(url, tmp_path, ENGINES) as made:
        yield made


async def test_all_append_at_once_and_each_verifies_one_chain(stores: list[SqlHistoryStore]) -> None:
    """Every record is in one chain, once, and the checkpoints that others signed are on each machine, too."""

    async def write(store: SqlHistoryStore, number: int) -> list[int]:
        made = []
        for count in range(EACH):
            case = build_case(f"s-{number}-{count}")
            made.append((await store.append("claim.created", case.submission.id, ALICE, {}, case=case)).seq)
        return made

    written = await asyncio.gather(*(write(store, number) for number, store in enumerate(stores)))
    assert ENGINES * EACH == len({seq for made in written for seq in made})
    for store in stores:
        await store.append("history.viewed", "", ALICE, {"n": 1})
        found = await store.verify()
        assert (True, "") == (found.intact, found.problem)


async def test_an_append_takes_two_round_trips_also_after_others(
    stores: list[SqlHistoryStore], url: str, tmp_path: Path
) -> None:
    """One locks the end of the chain and reads what is new, one writes and commits.

    The least of several is told: the index of texts is written now and then, too.
    """
    with closing(CuttingProxy(url)) as proxy:
        store = await opened(proxy.url, tmp_path, ENGINES)
        taken = []
        for number in range(20):
            await stores[0].append("history.viewed", "", ALICE, {"n": number})
            before = proxy.round_trips
            await store.append("history.viewed", "", ALICE, {"n": number})
            taken.append(proxy.round_trips - before)
        await store.close()
    assert 2 == min(taken)


async def test_a_change_that_another_made_meanwhile_is_not_overwritten(stores: list[SqlHistoryStore]) -> None:
    """What an engine did not know about is not decided upon: one of two that know the same writes."""
    case = build_case("s-1")
    known = (await stores[0].append("claim.created", "s-1", ALICE, {}, case=case)).seq

    async def change(store: SqlHistoryStore) -> int:
        return (await store.append("claim.created", "s-1", ALICE, {}, case=case, once=Once(after=known))).seq

    ends = await asyncio.gather(*map(change, stores), return_exceptions=True)
    assert 1 == sum(isinstance(end, int) for end in ends)
    assert 2 == sum(isinstance(end, SupersededError) for end in ends)


async def test_an_engine_that_is_fenced_writes_nothing_any_more(
    stores: list[SqlHistoryStore], url: str
) -> None:
    """Once the others have taken over from it, not even what waits is written; the others go on."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE pratique.engines SET fenced = TRUE, token = '' WHERE name = 'e0'")
    for _ in range(2):
        with pytest.raises(HistoryHeldError, match="did not answer for too long"):
            await stores[0].append("history.viewed", "", ALICE, {"n": 1})
    assert 0 < (await stores[1].append("history.viewed", "", ALICE, {"n": 2})).seq
    assert (await stores[1].verify()).intact


async def test_an_engine_that_has_beat_meanwhile_is_not_fenced(stores: list[SqlHistoryStore]) -> None:
    """What another engine saw before the last beat takes nothing from an engine that lives."""
    fenced, other = (store.engines for store in stores[:2])
    assert fenced
    assert other
    seen = next(peer.beat for peer in await other.beat("") if peer.name == "e0")
    await fenced.beat("")
    await other.fence("e0", seen)
    assert 0 < (await stores[0].append("history.viewed", "", ALICE, {"n": 1})).seq


async def test_checkpoints_of_others_are_filed_after_a_transaction_that_failed(
    stores: list[SqlHistoryStore],
) -> None:
    """An engine that reads the end anew adds what others have signed meanwhile to its file, too."""

    def fail(_: object) -> None:
        raise HistoryError("no")

    with pytest.raises(HistoryError, match="no"):
        await stores[0]._writer.do(fail)
    for number in range(2 * 40):
        await stores[1].append("history.viewed", "", ALICE, {"n": number})
    await stores[0].append("history.viewed", "", ALICE, {"n": 0})
    found = await stores[0].verify()
    assert (True, "") == (found.intact, found.problem)


async def test_one_that_writes_alone_is_refused_beside_them(
    stores: list[SqlHistoryStore], url: str, tmp_path: Path
) -> None:
    """An engine that does not know of others does not write beside them."""
    with pytest.raises(HistoryError, match="Another engine already writes"):
        await open_history(HistorySettings(database=url), place(tmp_path, 9), None)


async def test_what_was_answered_by_killed_processes_is_in_the_chain(url: str, tmp_path: Path) -> None:
    """Three processes append; one is killed, one stopped while it writes: nothing answered is missing."""
    await (await opened(url, tmp_path, 0)).close()  # makes the key
    async with aclosing(_Processes(url, tmp_path)) as processes, asyncio.timeout(SECONDS):
        await asyncio.gather(*map(processes.start, range(ENGINES)))
        await processes.hear(ANSWERS)
        processes.signal(0, signal.SIGKILL)
        processes.signal(1, signal.SIGSTOP)
        await processes.hear(ANSWERS)
    store = await opened(url, tmp_path, 9)
    try:
        for line in processes.told:
            seq, digest, subject = line.split()
            (event,) = await store.read.events(since=int(seq) - 1, limit=1)
            assert (digest, subject) == (event.hash, event.subject)
        found = await store.verify()
        assert (True, "") == (found.intact, found.problem)
    finally:
        await store.close()


class _Processes:
    """Processes that append, and what they said was answered."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder = url, folder
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._readers: list[asyncio.Task[None]] = []
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self.told: list[str] = []

    async def start(self, number: int) -> None:
        """Start another one, and wait until it has written."""
        command = [sys.executable, "-m", WRITER, self._url, str(place(self._folder, number)), f"p{number}"]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        self._processes[number] = process
        assert process.stdout is not None
        self._lines.put_nowait((await process.stdout.readline()).decode())
        self._readers.append(asyncio.create_task(self._read(process.stdout)))

    async def _read(self, said: asyncio.StreamReader) -> None:
        while line := (await said.readline()).decode():
            self._lines.put_nowait(line)

    async def hear(self, count: int) -> None:
        """Wait for so many further answers."""
        for _ in range(count):
            self.told.append(await self._lines.get())

    def signal(self, number: int, which: signal.Signals) -> None:
        """Send a signal to one of them."""
        self._processes[number].send_signal(which)

    async def aclose(self) -> None:
        """Kill all, and hear all that they said."""
        for process in self._processes.values():
            if process.returncode is None:
                process.kill()
            await process.wait()
        await asyncio.gather(*self._readers)
        while not self._lines.empty():
            self.told.append(self._lines.get_nowait())
