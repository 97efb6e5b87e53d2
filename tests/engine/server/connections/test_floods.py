"""Thousands of connections by whoever may not enter: the engine answers everybody else meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from engine.models import Scope
from tests.engine_process import EngineProcess
from tests.tls import free_port, self_signed

OPEN_FILES = 1024
FLOOD = 5000
HELLO = bytes.fromhex("1603010200010001fc0303") + bytes(32)


@pytest.fixture(scope="module", autouse=True)
def _descriptors() -> Iterator[None]:
    """Let this process open as many connections as it floods with."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def port() -> int:
    """Return the port of the module's engine."""
    return free_port()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a certificate of this machine's loopback, and its key."""
    return self_signed(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def engine(
    tmp_path_factory: pytest.TempPathFactory, port: int, certificate: tuple[Path, Path]
) -> Iterator[EngineProcess]:
    """Yield an engine with TLS that may open few files."""
    process = EngineProcess(
        tmp_path_factory.mktemp("home"),
        PRATIQUE_SERVER__LISTEN=f"127.0.0.1:{port}",
        PRATIQUE_SERVER__TLS_CERTIFICATE=str(certificate[0]),
        PRATIQUE_SERVER__TLS_KEY=str(certificate[1]),
        PRATIQUE_SERVER__REQUESTS_BURST="1000",
    )
    process.limit_open_files(OPEN_FILES)
    process.start()
    yield process
    assert process.end() == 0


@pytest.fixture
def local(engine: EngineProcess) -> Iterator[httpx.Client]:
    """Yield a client of the local socket that connects for each request."""
    transport = httpx.HTTPTransport(uds=str(engine.socket), limits=httpx.Limits(max_keepalive_connections=0))
    with httpx.Client(transport=transport, base_url="http://engine", timeout=30) as client:
        yield client


def connect(port: int) -> socket.socket:
    """Return a connection that is on its way."""
    made = socket.socket()
    made.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        made.connect(("127.0.0.1", port))
    return made


def send(one: socket.socket, data: bytes) -> None:
    """Send without waiting, as far as it goes."""
    with contextlib.suppress(OSError):
        one.send(data)


def reset(one: socket.socket) -> None:
    """Close with a reset."""
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    one.close()


def half_close(one: socket.socket) -> None:
    """Close the sending half."""
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_WR)


KINDS: dict[str, Callable[[socket.socket], None]] = {
    "silent": lambda one: None,
    "one byte": lambda one: send(one, b"\x16"),
    "half a hello": lambda one: send(one, HELLO),
    "HTTP to the TLS port": lambda one: send(one, b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"),
    "noise": lambda one: send(one, os.urandom(64)),
    "a large record": lambda one: send(one, b"\x16\x03\x01\xff\xff" + b"\0" * 500),
    "an alert": lambda one: send(one, b"\x15\x03\x03\x00\x02\x02\x28"),
    "SSLv2": lambda one: send(one, b"\x80\x2e\x01\x00\x02" + bytes(43)),
    "half closed": half_close,
    "closed": lambda one: one.close(),
    "reset": reset,
}


@pytest.mark.parametrize("kind", KINDS)
def test_five_thousand_connections_hold_up_nobody(
    engine: EngineProcess, local: httpx.Client, port: int, certificate: tuple[Path, Path], kind: str
) -> None:
    """Local requests and those with a token are answered while the flood goes on; files are left over."""
    made = local.post("/v1/tokens", json={"name": "ci", "scopes": [Scope.REVIEW], "days": 1}).json()
    headers = {"authorization": f"Bearer {made['secret']}"}
    trust = ssl.create_default_context(cafile=str(certificate[0]))
    flood: list[socket.socket] = []
    try:
        for number in range(FLOOD):
            flood.append(connect(port))
            if number >= 100:
                KINDS[kind](flood[number - 100])
            if number % 500 == 499:
                assert 200 == local.get("/v1/submissions").status_code
                answer = httpx.get(
                    f"https://127.0.0.1:{port}/v1/submissions", verify=trust, headers=headers, timeout=30
                )
                assert 200 == answer.status_code
                assert OPEN_FILES * 2 // 3 > len(list(Path(f"/proc/{engine.pid}/fd").iterdir()))
    finally:
        for one in flood:
            one.close()
    assert "Traceback" not in (engine.home / "test.log").read_text()


def test_the_engine_survives_that_no_file_can_be_opened(
    engine: EngineProcess, local: httpx.Client, port: int
) -> None:
    """While the system gives it no descriptor it waits; afterwards everything is answered again."""
    before = resource.prlimit(engine.pid, resource.RLIMIT_NOFILE)
    try:
        resource.prlimit(engine.pid, resource.RLIMIT_NOFILE, (20, before[1]))
        flood = [connect(port) for _ in range(200)]
        other = socket.socket(socket.AF_UNIX)
        other.connect(str(engine.socket))
        deadline = time.monotonic() + 60
        while "connections.paused" not in (engine.home / "test.log").read_text():
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        resource.prlimit(engine.pid, resource.RLIMIT_NOFILE, before)
    for one in (*flood, other):
        one.close()
    assert 200 == local.get("/v1/submissions").status_code
    draft = {"draft": {"code": "print(1)", "language": "python"}}
    assert 202 == local.post("/v1/submissions", json=draft).status_code


@pytest.fixture
def secret(local: httpx.Client) -> str:
    """Return the secret of a token that may submit."""
    body = {"name": "slow", "scopes": [Scope.SUBMIT], "days": 1}
    return str(local.post("/v1/tokens", json=body).json()["secret"])


async def test_half_sent_bodies_of_a_token_are_few_and_end(
    secret: str, port: int, certificate: tuple[Path, Path]
) -> None:
    """Of many half-sent bodies some wait and end in 408 after a while, and the others are refused at once."""
    trust = ssl.create_default_context(cafile=str(certificate[0]))
    head = (
        f"POST /v1/submissions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {secret}\r\n"
        "content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"
    ).encode()

    async def half() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trust)
        writer.write(head)
        status = (await reader.readline()).split()[1]
        writer.close()
        return status

    statuses = await asyncio.wait_for(asyncio.gather(*(half() for _ in range(60))), 60)
    assert (28, 32) == (statuses.count(b"429"), statuses.count(b"408"))
