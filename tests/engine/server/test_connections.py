"""Connections that never become a request, or never end one: they cost little, and not for long."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse

from engine.client.client import Client
from engine.server.http import listeners
from engine.server.http.connections import protocol
from tests.engine_process import EngineProcess

ASKING = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n"
CHUNKED = b"POST /v1/shutdown HTTP/1.1\r\nhost: evil\r\ntransfer-encoding: chunked\r\n\r\n"
FLOOD = 4 * 1024 * 1024
SECONDS = 60.0


@pytest.mark.parametrize(
    ("before", "again"),
    [
        (b"GET /", b"a" * 1000),
        (ASKING, b"x: y\r\n" * 100),
        (ASKING + b"\r\n" + ASKING, b"x: y\r\n" * 100),
        (CHUNKED + b"1;", b"a" * 1000),
        (CHUNKED + b"0\r\n", b"x: y\r\n" * 100),
    ],
    ids=["path", "head", "second head", "extension", "trailers"],
)
async def test_a_request_without_an_end_is_cut_off(
    engine: EngineProcess, client: Client, before: bytes, again: bytes
) -> None:
    """Whatever is sent beside a body is bounded; the engine closes the connection and answers others."""
    reader, writer = await asyncio.open_unix_connection(str(engine.socket))
    reading = asyncio.create_task(reader.read())
    with contextlib.closing(writer), contextlib.suppress(ConnectionError):
        writer.write(before)
        async with asyncio.timeout(SECONDS):
            for _ in range(FLOOD // len(again)):
                writer.write(again)
                await writer.drain()
                if reading.done():
                    break
            else:
                pytest.fail("all of it was taken")
    with contextlib.suppress(ConnectionError):
        await asyncio.wait_for(reading, SECONDS)
    assert () == await client.queue()


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[Path]:
    """Yield the socket of a server that answers everything."""
    server = listeners.create_server(PlainTextResponse("here"))
    path = tmp_path / "s"
    with contextlib.closing(listeners.bind_unix(path)) as listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        yield path
        server.should_exit = True
        await asyncio.wait_for(serving, SECONDS)


async def test_every_head_has_a_deadline(door: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection is closed where its first request does not come, and where its second does not end."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.1)
    for sent in (b"", b"GET /", ASKING + b"\r\n" + b"GET /"):
        reader, writer = await asyncio.open_unix_connection(str(door))
        with contextlib.closing(writer):
            writer.write(sent)
            got = await asyncio.wait_for(reader.read(), SECONDS)
        assert (b"\r\n\r\n" in sent) == got.endswith(b"here")


UNREAD = b"POST /readyz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n"
WAITING = {
    "nothing": b"",
    "half a line": b"GET /",
    "half a head": ASKING,
    "blank lines": b"\r\n\r\n",
    "after an answer": ASKING + b"\r\n",
    "blank lines after an answer": ASKING + b"\r\n" + b"\r\n" * 20,
    "half a head after an answer": ASKING + b"\r\n" + ASKING,
    "half a head after three answers": (ASKING + b"\r\n") * 3 + ASKING,
    "a body that nobody waits for": UNREAD,
    "half of a body that nobody waits for": UNREAD + b"x" * 500,
    "chunks without an end": ASKING + b"transfer-encoding: chunked\r\n\r\n1\r\nx\r\n",
    "an upgrade": ASKING + b"connection: upgrade\r\nupgrade: websocket\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


@pytest.mark.parametrize("sent", WAITING.values(), ids=WAITING.keys())
async def test_no_connection_waits_forever(door: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    """Whatever was sent before the silence: the connection is closed in bounded time."""
    for name in ("HEAD_SECONDS", "KEEP_ALIVE_SECONDS", "REFUSED_SECONDS", "LINGER_SECONDS"):
        monkeypatch.setattr(protocol, name, 0.1)
    reader, writer = await asyncio.open_unix_connection(str(door))
    with contextlib.closing(writer), contextlib.suppress(ConnectionError):
        writer.write(sent)
        await asyncio.wait_for(reader.read(), 10)
