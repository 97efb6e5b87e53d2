"""What every implementation of HistoryStore promises."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.history.api import HistoryStore
from engine.history.chain.chain import GENESIS
from engine.history.errors import ErasedError, HistoryError
from engine.models import (
    Artifact,
    Meters,
    OutputChunk,
    Status,
    Stream,
)
from engine.settings import HistorySettings
from tests.conformance.history_stores import ALICE, STORES, Implementation, opened, record
from tests.engine.history.conftest import build_case


@pytest.fixture(params=STORES)
def implementation(request: pytest.FixtureRequest) -> Implementation:
    """Return each implementation in turn."""
    return STORES[request.param]


def chunk(data: bytes, offset: int = 0, stream: Stream = Stream.STDOUT) -> OutputChunk:
    """Return a chunk of output."""
    return OutputChunk(stream=stream, at=0.5, offset=offset, data=data)


async def test_events_come_back_in_order(implementation: Implementation, tmp_path: Path) -> None:
    """Events are numbered from 1 without gaps, chained, and read back as `append` returned them."""
    async with opened(implementation, tmp_path) as store:
        events = [await store.append("claim.created", f"s{n % 2}", ALICE, {"n": n}) for n in range(5)]
        assert [1, 2, 3, 4, 5] == [event.seq for event in events]
        assert GENESIS.hex() == events[0].previous
        assert [event.hash for event in events[:-1]] == [event.previous for event in events[1:]]
        assert tuple(events) == await store.read.events()
        assert [2, 4] == [event.seq for event in await store.read.events(subject="s1")]
        assert [4] == [event.seq for event in await store.read.events(since=3, limit=1)]


async def test_a_durable_event_is_read_by_another_reader(
    implementation: Implementation, tmp_path: Path
) -> None:
    """What `append` has returned is seen by reads that begin after it."""
    async with opened(implementation, tmp_path) as store:
        for number in range(10):
            event = await store.append("history.viewed", "", ALICE, {"n": number})
            assert (event,) == await store.read.events(since=event.seq - 1)


async def test_closing_writes_what_is_waiting(implementation: Implementation, tmp_path: Path) -> None:
    """Events and output that were not durable yet are there after closing and reopening."""
    async with opened(implementation, tmp_path) as store:
        for number in range(100):
            await store.append("history.viewed", "", ALICE, {"n": number}, durable=False)
        await store.append_output("s1", [chunk(b"late")])
    async with opened(implementation, tmp_path) as store:
        viewed = [event for event in await store.read.events() if event.type == "history.viewed"]
        assert list(range(100)) == [event.data["n"] for event in viewed]
        assert [b"late"] == [piece.data for piece in await store.read.output("s1")]


async def test_a_closed_store_refuses(implementation: Implementation, tmp_path: Path) -> None:
    """After closing, appending raises instead of losing an event."""
    async with opened(implementation, tmp_path) as store:
        pass
    with pytest.raises(HistoryError):
        await store.append("history.viewed", "", ALICE, {})


async def test_the_chain_continues_after_reopening(implementation: Implementation, tmp_path: Path) -> None:
    """The first event after reopening follows the last one before."""
    async with opened(implementation, tmp_path) as store:
        await store.append("history.viewed", "", ALICE, {})
    async with opened(implementation, tmp_path) as store:
        last = (await store.read.events())[-1]
        event = await store.append("history.viewed", "", ALICE, {})
        assert (last.seq + 1, last.hash) == (event.seq, event.previous)
        found = await store.verify()
    assert (True, event.seq) == (found.intact, found.events)


async def test_only_one_engine_writes(implementation: Implementation, tmp_path: Path) -> None:
    """A second store cannot be opened on the same history, until the first is closed."""
    async with opened(implementation, tmp_path):
        with pytest.raises(HistoryError):
            await implementation.open(tmp_path, HistorySettings())
    async with opened(implementation, tmp_path) as store:
        await store.append("history.viewed", "", ALICE, {})


async def test_concurrent_appends_keep_their_order(implementation: Implementation, tmp_path: Path) -> None:
    """Each writer's events are in the order in which it appended them, and the chain holds."""

    async def write(name: str, store: HistoryStore) -> None:
        for number in range(50):
            await store.append("claim.created", name, ALICE, {"n": number}, durable=number % 7 == 0)

    async with opened(implementation, tmp_path) as store:
        await asyncio.gather(*(write(f"s{writer}", store) for writer in range(8)))
        await store.append("history.viewed", "", ALICE, {})
        for writer in range(8):
            events = await store.read.events(subject=f"s{writer}")
            assert list(range(50)) == [event.data["n"] for event in events]
        events = await store.read.events()
        assert list(range(1, 402)) == [event.seq for event in events]
        assert (await store.verify()).intact


async def test_many_events_are_recorded_all_or_none(implementation: Implementation, tmp_path: Path) -> None:
    """Of events that are appended together none is recorded where one is invalid."""
    async with opened(implementation, tmp_path) as store:
        assert 2 == await store.append_many([("history.viewed", "", ALICE, {"n": n}) for n in range(2)])
        with pytest.raises(HistoryError, match="Unknown event type 'nonsense'"):
            await store.append_many([("history.viewed", "", ALICE, {}), ("nonsense", "", ALICE, {})])
        assert 2 == len(await store.read.events())


async def test_a_case_is_what_was_last_recorded(implementation: Implementation, tmp_path: Path) -> None:
    """A case is replaced by each later state of it, in reads, lists and counts, also after reopening."""
    states = [
        build_case("s1", "print('\u00fc\u202e')\r\n", status=Status.PENDING),
        build_case("s1", "print('\u00fc\u202e')\r\n", status=Status.QUEUED, reviewer="bob"),
        build_case("s1", "print('\u00fc\u202e')\r\n", status=Status.FINISHED, reviewer="bob", exit_code=3),
    ]
    async with opened(implementation, tmp_path) as store:
        for state in states:
            await record(store, state)
            assert state == await store.read.case("s1")
            assert [state.status] == [row.status for row in await store.read.summaries()]
        assert None is await store.read.case("s2")
    async with opened(implementation, tmp_path) as store:
        assert states[-1] == await store.read.case("s1")
        assert {"finished": 1} == (await store.read.facets()).counts["status"]


async def test_open_cases(implementation: Implementation, tmp_path: Path) -> None:
    """Cases that are pending, queued or running are open, the oldest first."""
    async with opened(implementation, tmp_path) as store:
        for status in Status:
            await record(store, build_case(status.value, status=status))
        await record(store, build_case("pending", status=Status.DENIED))
        await record(store, build_case("later", status=Status.PENDING))
        found = [case.submission.id for case in await store.read.open_cases()]
    assert ["queued", "running", "later"] == found


async def test_output_is_read_from_any_offset(implementation: Implementation, tmp_path: Path) -> None:
    """Output comes back in order, from any byte on, at most as much as asked for."""
    chunks = [chunk(b"hello ", 0), chunk(b"oops", 6, Stream.STDERR), chunk(b"", 10), chunk(b"world", 10)]
    async with opened(implementation, tmp_path) as store:
        for one in chunks:
            await store.append_output("s1", [one])
        await store.append("claim.released", "s1", ALICE, {})
        whole = await store.read.output("s1")
        assert b"hello oopsworld" == b"".join(piece.data for piece in whole)
        for offset in range(16):
            for limit in (1, 4, 100):
                pieces = await store.read.output("s1", offset, limit)
                expected = b"hello oopsworld"[offset : offset + limit]
                assert expected == b"".join(piece.data for piece in pieces)
                assert offset == pieces[0].offset if pieces else offset == 15
        assert Stream.STDERR == (await store.read.output("s1", 7, 1))[0].stream
        assert () == await store.read.output("other")


async def test_output_comes_before_the_next_event(implementation: Implementation, tmp_path: Path) -> None:
    """The event of output precedes the next event of its run."""
    async with opened(implementation, tmp_path) as store:
        await store.append_output("s1", [chunk(b"x")])
        await store.append("claim.released", "s1", ALICE, {})
        types = [event.type for event in await store.read.events(subject="s1")]
    assert ["run.output", "claim.released"] == types


async def test_meters_and_artifacts(implementation: Implementation, tmp_path: Path) -> None:
    """Samples come back in order; an artifact by its name or its digest, the newest of that name."""
    samples = [Meters(at=n / 2, cpu=0.5, memory=n, memory_peak=n, processes=1) for n in range(3)]
    old, new = b"old", b"new"
    async with opened(implementation, tmp_path) as store:
        for sample in samples:
            await store.append_meters("s1", [sample])
        for content in (old, new):
            await store.append_artifact("s1", artifact("a.csv", content), content)
        await store.append("claim.released", "s1", ALICE, {})
        assert tuple(samples) == await store.read.meters("s1")
        assert new == await store.read.artifact("s1", "a.csv")
        assert old == await store.read.artifact("s1", artifact("a.csv", old).digest)
        with pytest.raises(KeyError):
            await store.read.artifact("s1", "b.csv")


async def test_a_checkpoint_is_signed_at_the_end(implementation: Implementation, tmp_path: Path) -> None:
    """Closing signs a checkpoint over all events; verification agrees with it, and with a witness's copy."""
    async with opened(implementation, tmp_path) as store:
        assert None is await store.read.latest_checkpoint()
        await store.append("history.viewed", "", ALICE, {})
    async with opened(implementation, tmp_path) as store:
        note = await store.read.latest_checkpoint()
        assert note is not None
        found = await store.verify(witnessed=[note])
    assert (True, 1, 1) == (found.intact, found.checkpoints, found.witnessed)


async def test_an_altered_event_is_found(implementation: Implementation, tmp_path: Path) -> None:
    """An event that was changed behind the store's back is named."""
    async with opened(implementation, tmp_path) as store:
        for number in range(5):
            await store.append("history.viewed", "", ALICE, {"n": number})
    implementation.alter_event(tmp_path, 3)
    async with opened(implementation, tmp_path) as store:
        found = await store.verify()
    assert (False, 3) == (found.intact, found.seq)


async def test_an_altered_case_is_found(implementation: Implementation, tmp_path: Path) -> None:
    """A case that was changed behind the store's back is named, with the event that recorded it."""
    async with opened(implementation, tmp_path) as store:
        event = await record(store, build_case("s1"))
    implementation.alter_case(tmp_path, "s1")
    async with opened(implementation, tmp_path) as store:
        found = await store.verify()
    assert (False, event.seq) == (found.intact, found.seq)
    assert "s1" in found.problem


async def test_retention_erases_contents_and_keeps_events(
    implementation: Implementation, tmp_path: Path
) -> None:
    """Contents over the limit are erased by a recorded rule; events stay, and the history stays intact."""
    content = os.urandom(2_000_000)
    async with opened(implementation, tmp_path, retain_mb=1, retain_newest_seconds=0) as store:
        await record(store, build_case("s1", status=Status.FINISHED, reviewer="bob", exit_code=0))
        await record(store, build_case("s2", "open = 1\n"))
        await store.append_output("s1", [chunk(content)])
        await store.append_artifact("s1", artifact("a.bin", content[:-1]), content[:-1])
        await store.append("claim.released", "s1", ALICE, {})
        before = await store.read.events()
        assert await store.apply_retention() > 0
        assert before == (await store.read.events())[: len(before)]
        erased = [event for event in await store.read.events() if event.type == "history.erased"]
        assert [event.data["rule"] for event in erased] == ["more than 1 MB"] * len(erased) != []
        assert ("more than 1 MB", False) == await store.read.erased_output("s1")
        assert {"output", "artifact"} <= {one.what for one in await store.read.erasures("s1")}
        with pytest.raises(ErasedError):
            await store.read.artifact("s1", "a.bin")
        assert build_case("s2", "open = 1\n") == await store.read.case("s2")
        assert (await store.verify()).intact


def artifact(name: str, content: bytes) -> Artifact:
    """Return the description of an artifact."""
    return Artifact(name=Untrusted(name), size=len(content), digest=hashlib.sha256(content).hexdigest())
