"""What a kernel is asked over its control socket, and what becomes of its answers, however wrong."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.sandbox.drivers.docker.trace_session import SEND_BYTES, create_trace_session
from engine.sandbox.observed.wire import HANDSHAKE

CONTAINER = "c" * 64
SESSION = {"name": "Default", "points": [{"name": "container/start"}]}
_CALL = {"method": "containerManager.CreateTraceSession", "arg": {"Config": SESSION, "Force": False}}


class Kernel:
    """Both ends that the engine connects: a listener of events, and a kernel that says what a test wants."""

    def __init__(self, folder: Path, answer: Callable[[socket.socket], None]) -> None:
        self.root, self.endpoint = folder, str(folder / "events")
        self.call: dict[str, Any] = {}
        self.blocking, self.buffer = True, 0
        self._answer = answer
        self._events = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._events.bind(self.endpoint)
        self._control = socket.socket(socket.AF_UNIX)
        self._bind_beyond_the_limit(folder)
        for server in (self._events, self._control):
            server.settimeout(1.0)
            server.listen(1)
        self._threads = [threading.Thread(target=work) for work in (self._greet, self._serve)]
        for thread in self._threads:
            thread.start()

    def _bind_beyond_the_limit(self, folder: Path) -> None:
        """Bind to a path that is longer than an address may be, as those of runsc are."""
        handle = os.open(folder, os.O_PATH)
        self._control.bind(f"/proc/self/fd/{handle}/runsc-{CONTAINER}.sock")
        os.close(handle)

    def _greet(self) -> None:
        with contextlib.suppress(OSError), self._events.accept()[0] as connection:
            assert connection.recv(100) == HANDSHAKE
            connection.send(HANDSHAKE)

    def _serve(self) -> None:
        with contextlib.suppress(OSError), self._control.accept()[0] as connection:
            sent, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 4)
            self.call = json.loads(sent)
            self.blocking = os.get_blocking(descriptors[0])
            with socket.socket(fileno=descriptors[0]) as events:
                self.buffer = events.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
            self._answer(connection)

    def ask(self, seconds: float = 5.0) -> str:
        """Return what the engine says of it."""
        return create_trace_session(str(self.root), CONTAINER, self.endpoint, SESSION, seconds)

    def close(self) -> None:
        """Wait until both have served, and close them."""
        for thread in self._threads:
            thread.join()
        for server in (self._events, self._control):
            server.close()


@pytest.fixture
def kernel(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Kernel]:
    """A kernel that answers with the bytes of the parameter."""
    kernel = Kernel(tmp_path, lambda connection: connection.sendall(request.param))
    yield kernel
    kernel.close()


@pytest.mark.parametrize("kernel", [b'{"success":true,"err":"","result":{}}'], indirect=True)
def test_a_kernel_gets_the_session_and_a_socket_on_which_it_never_waits(kernel: Kernel) -> None:
    """Its buffer is large: what does not fit is dropped."""
    assert "" == kernel.ask()
    assert (_CALL, False) == (kernel.call, kernel.blocking)
    assert SEND_BYTES <= kernel.buffer


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (
            b'{"success":false,"err":"session \\"Default\\" already exists"}',
            'session "Default" already exists',
        ),
        (b'{"success":1}', "it gives no reason"),
        (b"[" * 60_000, "it gives no reason"),
        (b"[true]", "it gives no reason"),
        (b"\xff\xfe", "it gives no reason"),
        (b"", "it gives no reason"),
        (b'{"success":false,"err":"' + b"x" * 500 + b'"}', "x" * 200),
        (b'{"success":false,"err":{"a":1}}', "{'a': 1}"),
        (b"x" * (1 << 17), "it gives no reason"),
    ],
    indirect=["kernel"],
)
def test_whatever_is_no_success_is_a_refusal(kernel: Kernel, said: str) -> None:
    """What it says is cut off; what it says without an end is not read to one."""
    assert f"gVisor refused: {said}" == kernel.ask()


def test_a_kernel_that_says_nothing_is_not_waited_for(tmp_path: Path) -> None:
    """The deadline counts for all of it, also where it says a little again and again."""
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        while not over.wait(0.05):
            connection.send(b" ")

    kernel = Kernel(tmp_path, drip)
    with pytest.raises(OSError, match="time"):
        kernel.ask(0.3)
    over.set()
    kernel.close()


@pytest.mark.parametrize("kernel", [b""], indirect=True)
def test_a_kernel_that_is_gone_is_told(kernel: Kernel) -> None:
    """Its socket is not there any more."""
    (kernel.root / f"runsc-{CONTAINER}.sock").unlink()
    with pytest.raises(FileNotFoundError):
        kernel.ask()


@pytest.mark.parametrize("kernel", [b""], indirect=True)
def test_a_listener_that_is_gone_is_told(kernel: Kernel) -> None:
    """The kernel is then not even asked."""
    Path(kernel.endpoint).unlink()
    with pytest.raises(FileNotFoundError):
        kernel.ask()
    assert {} == kernel.call
