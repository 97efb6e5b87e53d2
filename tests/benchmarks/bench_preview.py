"""Requests through a preview beside the same requests inside the sandbox, by the same HTTP client."""

from __future__ import annotations

import asyncio
import http.client
import re
import statistics
import tempfile
import time
from pathlib import Path

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Limits, Permissions
from tests.benchmarks.row import Row, percentiles
from tests.engine_process import POOL, EngineProcess

PORT = 8000
REQUESTS = 200
ROUNDS = 5
BIG = 40_000_000
SERVER = f"""
import http.client, http.server, threading, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = b"x" * ({BIG} if self.path == "/big" else 100)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", {PORT}), Handler)
threading.Thread(target=server.serve_forever).start()
def ask(path):
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", {PORT})
    connection.request("GET", path)
    connection.getresponse().read()
    connection.close()
    return time.perf_counter() - began
for _ in range({REQUESTS}):
    print("small", ask("/"))
for _ in range({ROUNDS}):
    print("big", ask("/big"), flush=True)
print("ready", flush=True)
"""


async def rows() -> list[Row]:
    """Measure requests one after the other, each over a connection of its own, as a preview makes them."""
    with tempfile.TemporaryDirectory() as folder:
        engine = EngineProcess(Path(folder) / "home", **{POOL: "1"})
        engine.home.mkdir()
        engine.start()
        try:
            async with Client(engine.socket) as client:
                return await _measured(client)
        finally:
            engine.end()


async def _measured(client: Client) -> list[Row]:
    run, inside = await _server(client)
    opened = await client.previews.open(run, PORT)
    host = opened.preview.host
    cookie = await asyncio.to_thread(_enter, host, opened.link.partition(host)[2])
    small = await asyncio.to_thread(_asked, host, cookie, "/", REQUESTS)
    big = await asyncio.to_thread(_asked, host, cookie, "/big", ROUNDS)
    await client.kill(run)
    direct = statistics.median(inside["small"]) * 1000
    speeds = [BIG / 1e6 / seconds for seconds in big]
    return [
        _delay([seconds * 1000 for seconds in small], direct),
        _speed(speeds, BIG / 1e6 / statistics.median(inside["big"])),
    ]


async def _server(client: Client) -> tuple[str, dict[str, list[float]]]:
    """Start the server; return its run, and how long it took to answer itself, in seconds."""
    limits = Limits(seconds=600, memory_mb=1024, cpus=2)
    draft = Draft(code=Untrusted(SERVER), language=Language.PYTHON, purpose=Untrusted("Serve pages"),
                  permissions=Permissions(limits=limits))  # fmt: skip
    case = await client.submit(draft)
    await client.decide(case.submission.id, DecisionOutcome.APPROVED, case.submission.digest)
    text = b""
    async for chunk in client.output(case.submission.id):
        text += chunk.data
        if b"ready" in text:
            break
    found = re.findall(rb"(small|big) (\S+)", text)
    return case.submission.id, {
        kind: [float(value) for name, value in found if name == kind.encode()] for kind in ("small", "big")
    }


def _enter(host: str, path: str) -> str:
    """Open the link of the preview, and return its cookie."""
    connection = _connection(host)
    connection.request("GET", path, headers={"Host": host})
    answer = connection.getresponse()
    connection.close()
    return str(answer.headers["set-cookie"]).partition(";")[0]


def _asked(host: str, cookie: str, path: str, count: int) -> list[float]:
    """Make requests one after the other; return the seconds of each."""
    return [_seconds(host, cookie, path) for _ in range(count)]


def _seconds(host: str, cookie: str, path: str) -> float:
    began = time.perf_counter()
    connection = _connection(host)
    connection.request("GET", path, headers={"Host": host, "Cookie": cookie})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != http.HTTPStatus.OK:
        raise RuntimeError(f"the preview answered {answer.status} to {path}")
    return time.perf_counter() - began


def _connection(host: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", int(host.rpartition(":")[2]), timeout=120)


def _delay(samples: list[float], direct: float) -> Row:
    p50, p95, p99 = percentiles(samples)
    passed = p50 - direct <= 5
    return Row("preview: a request, beside one in the sandbox", p50, p95, p99, "ms", direct, direct / p50,
               "p50 <= baseline + 5 ms", passed)  # fmt: skip


def _speed(samples: list[float], direct: float) -> Row:
    p50, p95, p99 = percentiles([-each for each in samples])
    return Row("preview: a large body, beside one in the sandbox", -p50, -p95, -p99, "MB/s", direct,
               direct / -p50, ">= 20 MB/s", -p50 >= 20)  # fmt: skip
