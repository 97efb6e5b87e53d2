"""What a run's readers get."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from engine.core.runs import run_stream as feeds
from engine.core.runs.run_stream import RunStream
from engine.models import Meters, OutputChunk, Stream


async def nothing(offset: int) -> Sequence[OutputChunk]:
    """Read back nothing."""
    return ()


def chunk(offset: int, data: bytes) -> OutputChunk:
    """Return a chunk of output."""
    return OutputChunk(stream=Stream.STDOUT, at=0.0, offset=offset, data=data)


async def read(stream: RunStream, offset: int = 0) -> bytes:
    """Return all that a reader from `offset` on gets."""
    return b"".join([one.data async for one in stream.output(offset)])


async def test_a_reader_gets_what_came_before_and_after_it() -> None:
    """Early and late readers read the same bytes."""
    stream = RunStream(nothing)
    stream.add_output(chunk(0, b"one "))
    early = asyncio.create_task(read(stream))
    await asyncio.sleep(0)
    stream.add_output(chunk(4, b"two"))
    stream.close()
    assert [b"one two", b"one two"] == [await early, await read(stream)]


async def test_old_output_is_read_back_from_where_it_is_kept() -> None:
    """A reader that starts before what is at hand is given the rest from disk."""
    kept: list[OutputChunk] = []

    async def read_back(offset: int) -> Sequence[OutputChunk]:
        return [one for one in kept if one.offset >= offset][:1]

    stream = RunStream(read_back)
    big = b"x" * (feeds.RECENT_BYTES // 2 + 1)
    for number in range(4):
        kept.append(chunk(number * len(big), big))
        stream.add_output(kept[-1])
    stream.close()
    assert 4 * len(big) == len(await read(stream))


async def test_buffered_output_is_bounded() -> None:
    """A flood does not stay in memory."""
    stream = RunStream(nothing)
    for number in range(100):
        stream.add_output(chunk(number << 20, b"x" * (1 << 20)))
    assert feeds.RECENT_BYTES >= stream._buffered


async def test_readers_of_meters_end_with_the_run() -> None:
    """A reader of meters gets samples as they come, and its end."""
    stream = RunStream(nothing)

    async def samples() -> list[float]:
        return [one.at async for one in stream.meters()]

    reading = asyncio.create_task(samples())
    await asyncio.sleep(0)
    for at in (0.2, 0.4):
        stream.add_meters(Meters(at=at, cpu=0.1, memory=1, memory_peak=1, processes=1))
    stream.close()
    assert [0.2, 0.4] == await reading
