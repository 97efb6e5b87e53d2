"""What is recorded is on disk, whole, in order, and only once."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import resource
import sqlite3
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import rfc8785

from engine.common.text import Untrusted
from engine.history.chain.chain import GENESIS
from engine.history.errors import HistoryError
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Case, Event, InputFile, Meters, OutputChunk, Status, Stream
from engine.settings import HistorySettings

ALICE = Untrusted("alice")
HOSTILE = "\x1b]52;c;x\x07\u202e[red]\x00\"'\\ \U0001f600 ü"


async def append(log: SqliteHistoryStore, count: int, subject: str = "s1") -> list[Event]:
    """Append so many events, all at once."""
    return list(
        await asyncio.gather(
            *(log.append("claim.created", subject, ALICE, {"digest": "x", "n": n}) for n in range(count))
        )
    )


def chunk(text: str, offset: int = 0, at: float = 0.0, stream: Stream = Stream.STDOUT) -> OutputChunk:
    """Return a chunk of output."""
    return OutputChunk(stream=stream, at=at, offset=offset, data=text.encode())


async def test_hash_is_sha256_of_rfc8785(log: SqliteHistoryStore) -> None:
    """Anybody can compute a record's hash from its fields, whatever text is in them."""
    event = await log.append(
        "claim.created", HOSTILE, Untrusted(HOSTILE), {"t": HOSTILE, "n": 1e-7, "z": [None, True]}
    )
    plain = event.model_dump(mode="json", exclude={"hash"})
    plain["at"] = f"{event.at:%Y-%m-%dT%H:%M:%S.%fZ}"
    assert hashlib.sha256(rfc8785.dumps(plain)).hexdigest() == event.hash


async def test_events_come_back_as_written(log: SqliteHistoryStore) -> None:
    """Reading gives the events that were answered, chained one to the next."""
    written = await append(log, 50)
    read = await log.read.events()
    assert sorted(written, key=lambda event: event.seq) == list(read)
    assert [event.hash for event in read[:-1]] == [event.previous for event in read[1:]]
    assert GENESIS.hex() == read[0].previous


async def test_events_of_one_subject_after_a_number(log: SqliteHistoryStore) -> None:
    """Events are found by subject, from a number on, and no more than asked for."""
    await append(log, 5, "s1")
    await append(log, 5, "s2")
    assert [9, 10] == [event.seq for event in await log.read.events(since=8, subject="s2")]
    assert [2, 3] == [event.seq for event in await log.read.events(since=1, limit=2)]


async def test_many_events_at_once(log: SqliteHistoryStore) -> None:
    """Many events in one go are chained in their order, or, where one is unfit, none is recorded."""
    many = [("history.viewed", f"s{n}", ALICE, {"n": n}) for n in range(2500)]
    assert 2501 == await log.append_many([("claim.created", "s", ALICE, {}), *many])
    with pytest.raises(HistoryError):
        await log.append_many([("claim.created", "s", ALICE, {}), ("nonsense", "s", ALICE, {})])
    read = await log.read.events(limit=3000)
    assert ["s", *(f"s{n}" for n in range(2500)), ""] == [event.subject for event in read]
    assert (await log.verify()).intact


async def test_durable_event_survives_a_copy_of_the_files(
    log: SqliteHistoryStore, path: Path, tmp_path: Path
) -> None:
    """Once answered, an event is in the files, with nothing flushed or closed."""
    event = await log.append("claim.created", "s1", ALICE, {})
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    copy.with_name("copy.db-wal").write_bytes(path.with_name(path.name + "-wal").read_bytes())
    with sqlite3.connect(copy) as connection:
        assert (event.seq,) == connection.execute("SELECT max(seq) FROM events").fetchone()
    connection.close()


async def test_case_comes_back_whole(log: SqliteHistoryStore, make_case: Callable[..., Case]) -> None:
    """A case is read as it was written: hostile code, binary files, result and all."""
    files = (
        InputFile(name=Untrusted("a.bin"), content=bytes(range(256))),
        InputFile(name=Untrusted("b"), content=b""),
    )
    case = make_case("s1", HOSTILE, files=files, reviewer="bob", status=Status.FINISHED, exit_code=3)
    await log.append("claim.released", "s1", ALICE, {}, case=case)
    assert case == await log.read.case("s1")
    assert None is await log.read.case("s2")


async def test_code_is_kept_once(log: SqliteHistoryStore, path: Path, make_case: Callable[..., Case]) -> None:
    """The same code in many submissions is one blob."""
    for name in ("a", "b", "c"):
        await log.append("claim.created", name, ALICE, {}, case=make_case(name, "print(1)" * 1000))
    with sqlite3.connect(path) as connection:
        assert [(1,)] == connection.execute("SELECT count(*) FROM blobs").fetchall()
    connection.close()


async def test_open_cases_are_those_not_over(log: SqliteHistoryStore, make_case: Callable[..., Case]) -> None:
    """Waiting, queued and running cases are found again, in the order they came."""
    for status in Status:
        await log.append(
            "claim.created", status.value, ALICE, {}, case=make_case(status.value, status=status)
        )
    assert ["pending", "queued", "running"] == [case.submission.id for case in await log.read.open_cases()]


async def test_summaries_page_newest_first(log: SqliteHistoryStore, make_case: Callable[..., Case]) -> None:
    """Pages of summaries neither overlap nor leave a gap, and an update does not move a case."""
    for number in range(7):
        await log.append(
            "claim.created", f"s{number}", ALICE, {}, case=make_case(f"s{number}", "\n\n  x = 1\ny")
        )
    await log.append(
        "claim.created", "s2", ALICE, {}, case=make_case("s2", status=Status.DENIED, reviewer="bob")
    )
    first = await log.read.summaries(limit=4)
    second = await log.read.summaries(before=first[-1].id, limit=4)
    assert ["s6", "s5", "s4", "s3", "s2", "s1", "s0"] == [row.id for row in first + second]
    assert (Untrusted("x = 1"), 4) == (first[0].first_line, first[0].lines)
    assert (Status.DENIED, Untrusted("bob")) == (second[0].status, second[0].reviewer)


async def test_output_is_read_from_any_byte(log: SqliteHistoryStore) -> None:
    """Output comes back in order with its streams and times, cut at the bytes asked for."""
    await log.append_output("r", [chunk("hello ", 0, 0.1), chunk("oops", 6, 0.2, Stream.STDERR)])
    await log.append_output("r", [chunk("world", 10, 0.3)])
    await log.append("claim.released", "r", ALICE, {})
    assert (chunk("hello ", 0, 0.1), chunk("oops", 6, 0.2, Stream.STDERR), chunk("world", 10, 0.3)) == (
        await log.read.output("r")
    )
    assert (chunk("ops", 7, 0.2, Stream.STDERR), chunk("wo", 10, 0.3)) == await log.read.output("r", 7, 5)
    assert () == await log.read.output("r", 15)
    assert () == await log.read.output("other")


async def test_output_is_recorded_before_the_next_event(log: SqliteHistoryStore) -> None:
    """A run's output stands before the end of the run in the chain."""
    await log.append_output("r", [chunk("x")])
    await log.append("claim.released", "r", ALICE, {})
    assert ["run.output", "claim.released"] == [event.type for event in await log.read.events(subject="r")]


async def test_flood_of_small_chunks_is_joined(log: SqliteHistoryStore) -> None:
    """Ten thousand one-byte chunks are kept to the byte in bounded events."""
    await log.append_output("r", [chunk("ab"[n % 2], n, n / 1000) for n in range(10_000)])
    await log.append("claim.released", "r", ALICE, {})
    assert b"ab" * 5000 == b"".join(piece.data for piece in await log.read.output("r"))
    assert max(len(json.dumps(event.data)) for event in await log.read.events(subject="r")) < 50_000


async def test_meters_come_back(log: SqliteHistoryStore) -> None:
    """Samples are read as they were written."""
    samples = [Meters(at=n, cpu=0.5, memory=n, memory_peak=n, processes=1) for n in range(3)]
    await log.append_meters("r", samples[:2])
    await log.append_meters("r", samples[2:])
    await log.append("claim.released", "r", ALICE, {})
    assert tuple(samples) == await log.read.meters("r")


async def test_reopened_history_goes_on(path: Path, settings: HistorySettings) -> None:
    """What was written before a close is there after it, batched events included, and the chain goes on."""
    for _ in range(3):
        log = await SqliteHistoryStore.open(path, settings)
        await log.append("claim.created", "s", ALICE, {}, durable=False)
        await log.append_output("r", [chunk("x")])
        await log.close()
    log = await SqliteHistoryStore.open(path, settings)
    verification = await log.verify()
    await log.close()
    assert (9, True) == (verification.events, verification.intact)


async def test_files_are_private(log: SqliteHistoryStore, path: Path) -> None:
    """Nobody but the owner reads the history or what SQLite puts beside it."""
    await append(log, 1)
    assert {0o600} == {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}


async def test_second_engine_is_refused(
    log: SqliteHistoryStore, path: Path, settings: HistorySettings
) -> None:
    """Two engines never write one history."""
    with pytest.raises(HistoryError, match="Another engine already writes"):
        await SqliteHistoryStore.open(path, settings)
    await append(log, 1)


async def test_foreign_database_is_refused(path: Path, settings: HistorySettings) -> None:
    """A database of something else is not written into."""
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(HistoryError, match="not a history of Pratique"):
        await SqliteHistoryStore.open(path, settings)


async def test_garbage_is_refused(path: Path, settings: HistorySettings) -> None:
    """A file that is no database is an error in words, twice over: the lock is let go."""
    path.parent.mkdir()
    path.write_bytes(b"not a database at all" * 100)
    for _ in range(2):
        with pytest.raises(HistoryError, match="damaged"):
            await SqliteHistoryStore.open(path, settings)


async def test_unwritable_place_is_an_error_in_words(settings: HistorySettings) -> None:
    """A folder that cannot be made is named."""
    with pytest.raises(HistoryError, match="/proc/nowhere"):
        await SqliteHistoryStore.open(Path("/proc/nowhere/pratique.db"), settings)


async def test_full_disk_answers_nobody_and_goes_on(log: SqliteHistoryStore, path: Path) -> None:
    """On a full disk no append is answered well; once there is room the chain goes on unbroken."""
    await append(log, 3)
    await log._writer.do(lambda ledger: _limit_pages(ledger.connection, 0))
    with pytest.raises(HistoryError, match="full"):
        await log.append("claim.created", "s", ALICE, {"filler": "x" * 100_000})
    await log._writer.do(lambda ledger: _limit_pages(ledger.connection, 1 << 30))
    assert 4 == (await append(log, 1))[0].seq
    assert (await log.verify()).intact


def _limit_pages(connection: SqlConnection, pages: int) -> None:
    connection.execute(f"PRAGMA max_page_count = {pages or 1}")


async def test_a_history_that_turns_read_only_loses_nothing(log: SqliteHistoryStore) -> None:
    """What cannot be written is refused in words; what was written stays, and the chain goes on."""
    await append(log, 3)
    connection = log._writer._ledger.connection
    connection.execute("PRAGMA query_only = on")
    with pytest.raises(HistoryError, match="cannot be written; nothing was recorded"):
        await append(log, 1)
    connection.execute("PRAGMA query_only = off")
    assert 4 == (await append(log, 1))[0].seq
    assert (await log.verify()).intact


async def test_files_that_may_not_grow_lose_nothing(log: SqliteHistoryStore, path: Path) -> None:
    """A limit of the system on the size of files is a disk that failed; once it is lifted all goes on."""
    await append(log, 3)
    size = path.with_name(path.name + "-wal").stat().st_size + 8192
    with _files_at_most(size), pytest.raises(HistoryError, match="nothing was recorded"):
        await log.append("claim.created", "s", ALICE, {"filler": "x" * 100_000})
    assert 4 == (await append(log, 1))[0].seq
    assert (await log.verify()).intact


@contextlib.contextmanager
def _files_at_most(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_corrupt_page_is_an_error_in_words(path: Path, settings: HistorySettings) -> None:
    """A damaged page is reported with what to type, not as a traceback of SQLite."""
    log = await SqliteHistoryStore.open(path, settings)
    await append(log, 500)
    await log.close()
    content = bytearray(path.read_bytes())
    content[8192 : len(content) : 1] = b"\xff" * (len(content) - 8192)
    path.write_bytes(bytes(content))
    with pytest.raises(HistoryError, match="damaged"):
        await _open_and_read(path, settings)


async def _open_and_read(path: Path, settings: HistorySettings) -> None:
    log = await SqliteHistoryStore.open(path, settings)
    try:
        await log.read.events()
    finally:
        await log.close()


async def test_slow_search_is_stopped(log: SqliteHistoryStore) -> None:
    """A query past its deadline ends with an error that says what to do."""
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    with pytest.raises(HistoryError, match="took too long"):
        await log._connections.do(lambda connection: connection.execute(endless).fetchone(), seconds=0.01)


async def test_close_ends_what_is_being_read(path: Path, settings: HistorySettings) -> None:
    """Closing does not wait for a reading without an end."""
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    log = await SqliteHistoryStore.open(path, settings)
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    def read(connection: SqlConnection) -> None:
        loop.call_soon_threadsafe(started.set)
        connection.execute(endless).fetchone()

    reading = asyncio.create_task(log._connections.do(read, seconds=float("inf")))
    await started.wait()
    await log.close()
    with pytest.raises(HistoryError):
        await reading


async def test_cancelled_reading_frees_its_thread(log: SqliteHistoryStore) -> None:
    """A reading that nobody waits for any more ends, and its thread reads for others."""
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    for _ in range(10):
        reading = asyncio.create_task(
            log._connections.do(lambda connection: connection.execute(endless).fetchone(), seconds=3600)
        )
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
    async with asyncio.timeout(30):
        assert () == await log.read.events()


async def test_readers_cannot_write(log: SqliteHistoryStore) -> None:
    """A read-only connection refuses to change the history."""
    with pytest.raises(HistoryError, match="cannot be written"):
        await log._connections.do(lambda connection: connection.execute("DELETE FROM events"))


@pytest.mark.parametrize("data", [{"n": 2**60}, {"n": float("nan")}, {"t": "\ud800"}, {"b": b"x"}, {1: 2}])
async def test_data_that_is_no_json_is_refused(log: SqliteHistoryStore, data: dict[str, object]) -> None:
    """What canonical JSON cannot hold is refused before anything is written."""
    with pytest.raises(HistoryError, match=r"as JSON|Invalid data"):
        await log.append("claim.created", "s", ALICE, data)
    assert () == await log.read.events()


async def test_cancelled_append_leaves_the_log_in_order(log: SqliteHistoryStore) -> None:
    """Whoever goes away while waiting takes nothing with him."""
    task = asyncio.create_task(log.append("claim.created", "s", ALICE, {}))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await append(log, 3)
    assert (await log.verify()).intact


async def test_closed_log_says_so(path: Path, settings: HistorySettings) -> None:
    """After the end there is an error, not a hang; closing twice is no error."""
    log = await SqliteHistoryStore.open(path, settings)
    await log.close()
    await log.close()
    with pytest.raises(HistoryError, match="closed"):
        await log.append("claim.created", "s", ALICE, {})
    with pytest.raises(HistoryError, match="closed"):
        await log.read.events()
