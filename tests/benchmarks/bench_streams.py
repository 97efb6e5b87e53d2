"""What a live stream costs: from the engine's own sight of a chunk to an HTTP client, and with many readers.

The feed is the engine's, behind its own way of writing a stream, on a Unix socket in this process: one clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.responses import Response

from engine.client.client import Client
from engine.core.runs.run_stream import RunStream
from engine.models import OutputChunk, Stream
from engine.server.http.listeners import bind_unix, create_server
from engine.server.http.ndjson import output_stream
from tests.benchmarks.row import Row, percentiles

SINGLE = 200
READERS = 20
CHUNK = 64 << 10
STREAMED = 16 << 20
SPARE = 16
"""Chunks that are read back at once."""


async def rows() -> list[Row]:
    """Measure."""
    return [await _first_byte(), await _many()]


class Rig:
    """A feed, and the socket behind which it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stream = RunStream(self._read_back)
        self._written: list[OutputChunk] = []
        self.app = FastAPI()
        self.app.add_api_route("/v1/runs/{id}/output", self._answer, response_class=Response)
        self._offset = 0

    async def _answer(self, id: str, request: Request, offset: int = 0) -> Response:
        return output_stream(self.stream.output(offset), request.headers.get("accept", ""))

    async def _read_back(self, offset: int) -> list[OutputChunk]:
        """Return what the history would."""
        behind = [chunk for chunk in self._written if chunk.offset + len(chunk.data) > offset]
        return behind[:SPARE]

    def say(self, data: bytes) -> None:
        """Have the guest write something."""
        chunk = OutputChunk(stream=Stream.STDOUT, at=0.0, offset=self._offset, data=data)
        self._written.append(chunk)
        self.stream.add_output(chunk)
        self._offset += len(data)


@contextlib.asynccontextmanager
async def _rig() -> AsyncGenerator[Rig, None]:
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder) / "s")
        listener: socket.socket = bind_unix(rig.path)
        http = create_server(rig.app)
        serving = asyncio.create_task(http.serve(sockets=[listener]))
        try:
            yield rig
        finally:
            rig.stream.close()
            http.should_exit = True
            await serving
            listener.close()


async def _first_byte() -> Row:
    took = [one for _ in range(SINGLE // 10) for one in await _ten_bytes()]
    p50, p95, p99 = percentiles(took)
    name = "a byte of output, engine to HTTP client"
    return Row(name, p50, p95, p99, "ms", None, None, "p95 < 5 ms", p95 < 5)


async def _ten_bytes() -> list[float]:
    """Return how many milliseconds each of ten bytes took to a client that waits for it."""
    took: list[float] = []
    async with _rig() as rig, Client(rig.path) as client, contextlib.aclosing(client.output("x")) as chunks:
        for count in range(10):
            reading = asyncio.create_task(anext(chunks))
            await asyncio.sleep(0.02)
            began = time.perf_counter()
            rig.say(b"1")
            chunk = await reading
            took.append((time.perf_counter() - began) * 1000)
            if chunk.offset != count:
                raise ValueError(f"byte {chunk.offset} came in place of {count}")
    return took


async def _many() -> Row:
    alone, together = await _guest_slowed(0), await _guest_slowed(READERS)
    name = f"a guest's write beside {READERS} readers"
    passed = together < alone + 1
    return Row(name, together, together, together, "ms", alone, None, "< 1 ms more than alone", passed)


async def _guest_slowed(readers: int) -> float:
    """Return the milliseconds that handing a chunk over took, in the mean, while so many read it all."""

    async def read(client: Client) -> None:
        async with contextlib.aclosing(client.output("x")) as chunks:
            async for _ in chunks:
                pass

    async with _rig() as rig, contextlib.AsyncExitStack() as clients, asyncio.TaskGroup() as tasks:
        for _ in range(readers):
            tasks.create_task(read(await clients.enter_async_context(Client(rig.path))))
        await asyncio.sleep(0.2)
        spent = 0.0
        for _ in range(STREAMED // CHUNK):
            began = time.perf_counter()
            rig.say(b"x" * CHUNK)
            spent += time.perf_counter() - began
            await asyncio.sleep(0)
        rig.stream.close()
    return spent * 1000 / (STREAMED // CHUNK)
