"""Readers that do not read: they are dropped, told from where to go on, and cost next to nothing."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, Request
from starlette.responses import Response, StreamingResponse

from engine.client.client import Client
from engine.client.transport import NDJSON, Transport
from engine.common.errors import Problem
from engine.common.output_frames import FRAMES, FrameDecoder
from engine.common.text import Untrusted
from engine.history.devtools.seed import seed_history
from engine.models import Event, OutputChunk, Stream
from engine.server.http import listeners, ndjson
from engine.server.http.connections import protocol, write_buffers
from tests.engine_process import EngineProcess

SECONDS = 60.0
EVENTS = 20_000
CHUNK = 8192
LARGE = 40 << 20


async def _events(since: int) -> AsyncGenerator[Event, None]:
    for seq in range(since + 1, EVENTS):
        yield Event(
            seq=seq,
            at=datetime.now(UTC),
            type="case.made",
            subject="s-1",
            actor=Untrusted("x" * 200),
            data={},
            previous="0" * 64,
            hash="0" * 64,
        )


async def _chunks(offset: int) -> AsyncGenerator[OutputChunk, None]:
    while offset < EVENTS * CHUNK // 16:
        yield OutputChunk(stream=Stream.STDOUT, at=0.0, offset=offset, data=b"y" * CHUNK)
        offset += CHUNK


def streams() -> FastAPI:
    """Return an application with streams of every kind, and a large answer."""
    app = FastAPI()

    @app.get("/v1/events", response_class=StreamingResponse)
    async def events(since: int = 0) -> StreamingResponse:
        return ndjson.ndjson_stream(_events(since))

    @app.get("/output", response_class=StreamingResponse)
    async def output(request: Request, offset: int = 0) -> StreamingResponse:
        return ndjson.output_stream(_chunks(offset), request.headers.get("accept", ""))

    @app.get("/large", response_class=Response)
    async def large() -> Response:
        return Response(b"z" * LARGE)

    return app


@pytest.fixture
async def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    """Yield the socket of a server of streams, which is quick to drop readers."""
    monkeypatch.setattr(ndjson, "READER_SECONDS", 0.3)
    monkeypatch.setattr(protocol, "LINGER_SECONDS", 5.0)
    monkeypatch.setattr(write_buffers, "STALLED_SECONDS", 1.0)
    monkeypatch.setattr(write_buffers, "CHECK_SECONDS", 0.1)
    server = listeners.create_server(streams())
    path = tmp_path / "s"
    with contextlib.closing(listeners.bind_unix(path)) as listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        yield path
        server.should_exit = True
        await asyncio.wait_for(serving, SECONDS)


async def stalled(door: Path, path: str, accept: str = NDJSON) -> bytes:
    """Return the body of a stream that was ended because nobody read it."""
    loop = asyncio.get_running_loop()
    request = f"GET {path} HTTP/1.1\r\nhost: engine\r\naccept: {accept}\r\n\r\n".encode()
    with socket.socket(socket.AF_UNIX) as reader:
        reader.setblocking(False)
        await loop.sock_connect(reader, str(door))
        await loop.sock_sendall(reader, request)
        got = await loop.sock_recv(reader, 1)
        await asyncio.sleep(1.0)
        while part := await asyncio.wait_for(loop.sock_recv(reader, 1 << 20), SECONDS):
            got += part
    return b"".join(dechunked(got.partition(b"\r\n\r\n")[2]))


def dechunked(body: bytes) -> Iterator[bytes]:
    """Yield the chunks of a body, which has to be complete."""
    while True:
        head, _, rest = body.partition(b"\r\n")
        if not (size := int(head, 16)):
            return
        yield rest[:size]
        body = rest[size + 2 :]


@pytest.mark.parametrize(
    ("path", "name", "field"), [("/v1/events", "since", "seq"), ("/output", "offset", "offset")]
)
async def test_the_last_line_says_from_where_to_go_on(door: Path, path: str, name: str, field: str) -> None:
    """A reader that stopped and reads again finds where it was, and misses nothing by asking for the rest."""
    body = await stalled(door, path)
    *lines, last = body.splitlines()
    end = json.loads(last)
    assert {"interrupted", "resume"} == end.keys()
    transport = httpx.AsyncHTTPTransport(uds=str(door))
    async with (
        httpx.AsyncClient(transport=transport, base_url="http://engine") as http,
        http.stream("GET", path, params=end["resume"]) as answer,
    ):
        following = json.loads(await anext(answer.aiter_lines()))
    before = json.loads(lines[-1])
    step = CHUNK if field == "offset" else 1
    assert before[field] + step == following[field]
    assert end["resume"] == {name: before[field] + (step if field == "offset" else 0)}


async def test_a_stream_of_frames_ends_between_two_frames(door: Path) -> None:
    """The last line of frames is no frame, and what came before it is whole."""
    body = await stalled(door, "/output", FRAMES)
    size = 0
    with contextlib.suppress(Problem):
        for chunk in FrameDecoder().take(body):
            size = chunk.offset + len(chunk.data)
    last = json.loads(body[body.rindex(b'{"interrupted"') :])
    assert {"offset": size} == last["resume"]


@pytest.mark.parametrize("pause", [0.0, 0.9])
async def test_the_client_resumes_by_itself(door: Path, pause: float) -> None:
    """A consumer that was too slow gets every byte of an output, once."""
    transport = Transport(door)
    expected = 0
    async with contextlib.aclosing(transport.frames("/output", 0)) as chunks:
        async for chunk in chunks:
            assert expected == chunk.offset
            expected += len(chunk.data)
            if expected == 4 << 20:
                await asyncio.sleep(pause)
    await transport.close()
    assert expected >= EVENTS * CHUNK // 16


async def test_followers_are_told_that_a_stream_broke_off(door: Path) -> None:
    """The last line is an error to a client, and no event."""
    transport = Transport(door)

    async def follow() -> None:
        async for event in transport.lines("/v1/events", {}, Event):
            if event.seq == 50:
                await asyncio.sleep(1.0)

    with pytest.raises(Problem, match="too slowly"):
        await follow()
    await transport.close()


@pytest.mark.parametrize("seconds", [0.0, 0.05], ids=["never", "a byte now and then"])
async def test_a_large_answer_is_dropped_with_its_reader(door: Path, seconds: float) -> None:
    """An answer that is not a stream does not wait forever in memory either, however its reader dribbles."""
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_UNIX) as reader:
        reader.setblocking(False)
        await loop.sock_connect(reader, str(door))
        await loop.sock_sendall(reader, b"GET /large HTTP/1.1\r\nhost: engine\r\n\r\n")
        got = 0
        for _ in range(40):
            await asyncio.sleep(0.05)
            if seconds:
                got += len(await loop.sock_recv(reader, 1))
        while part := await loop.sock_recv(reader, 1 << 20):
            got += len(part)
    assert 0 < got < LARGE


async def test_a_slow_reader_that_goes_on_gets_all(door: Path) -> None:
    """Who reads slowly but steadily is not dropped."""
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_UNIX) as reader:
        reader.setblocking(False)
        await loop.sock_connect(reader, str(door))
        await loop.sock_sendall(reader, b"GET /large HTTP/1.0\r\nhost: engine\r\n\r\n")
        got = 0
        while part := await loop.sock_recv(reader, 1 << 18):
            got += len(part)
            await asyncio.sleep(0.01)
    assert got > LARGE


def test_the_readers_of_an_endpoint_are_bounded_together() -> None:
    """Beyond the limit the one that has waited longest is dropped."""
    buffers = write_buffers.WriteBuffers(most=100)
    dropped: list[int] = []

    class Reader(write_buffers.StalledReader):
        def __init__(self, number: int) -> None:
            self.drop = lambda: dropped.append(number)

    readers = [Reader(number) for number in range(5)]
    for reader in readers[:4]:
        buffers.add(reader, 25)
    buffers.remove(readers[0])
    buffers.add(readers[0], 20)
    assert [] == dropped
    buffers.add(readers[4], 30)
    assert [1] == dropped


# --- the whole engine -------------------------------------------------------------------------------

READERS = 400
GROWTH_MB = 100
"""What 400 readers may cost: a page of events and a buffer of the connection each."""
RUNS = 800
"""Enough that no reader gets all events into the buffers of its socket."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Yield an engine with a long history."""
    home = tmp_path_factory.mktemp("home")
    seed_history(home / "pratique.db", RUNS, 1)
    process = EngineProcess(home)
    process.start()
    yield process
    process.end()


def memory_mb(pid: int) -> int:
    """Return the memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) >> 10


async def test_readers_that_never_read_cost_little_memory(engine: EngineProcess) -> None:
    """Four hundred stalled streams leave the engine's memory nearly as it was, and others are answered."""
    async with engine.client() as client:
        await settled(client)
        before = memory_mb(engine.pid)
        with contextlib.ExitStack() as stack:
            for _ in range(READERS):
                reader = stack.enter_context(socket.socket(socket.AF_UNIX))
                reader.connect(str(engine.socket))
                reader.sendall(b"GET /v1/events?since=0 HTTP/1.1\r\nhost: engine\r\n\r\n")
            for _ in range(50):
                await client.queue()
                await asyncio.sleep(0.1)
            assert GROWTH_MB > memory_mb(engine.pid) - before


async def settled(client: Client) -> None:
    """Wait until the engine has loaded what it loads late."""
    await client.health(25)
    await client.queue()
