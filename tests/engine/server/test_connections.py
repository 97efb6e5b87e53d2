"""Connections that never become a request, or never end one: they cost little, and not for long."""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse

from engine.client.client import Client
from engine.server.http import listeners
from tests.engine_process import EngineProcess

ASKING = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n"
CHUNKED = b"POST /shutdown HTTP/1.1\r\nhost: evil\r\ntransfer-encoding: chunked\r\n\r\n"
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
    monkeypatch.setattr(listeners, "HEAD_SECONDS", 0.1)
    for sent in (b"", b"GET /", ASKING + b"\r\n" + b"GET /"):
        reader, writer = await asyncio.open_unix_connection(str(door))
        with contextlib.closing(writer):
            writer.write(sent)
            got = await asyncio.wait_for(reader.read(), SECONDS)
        assert (b"\r\n\r\n" in sent) == got.endswith(b"here")


async def test_a_door_has_so_many_places(door: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One connection more is told that there is no place; when another goes, there is one."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (6, 6))
    first = [await asyncio.open_unix_connection(str(door)) for _ in range(2)]
    for reader, writer in first:
        writer.write(ASKING + b"\r\n")
        assert b"200" in await asyncio.wait_for(reader.readline(), SECONDS)
    reader, writer = await asyncio.open_unix_connection(str(door))
    assert b"503" in await asyncio.wait_for(reader.readline(), SECONDS)
    for _, other in [*first, (reader, writer)]:
        other.close()
        await other.wait_closed()
