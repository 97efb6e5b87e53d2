"""An engine whose socket is gone, and engines that start at the same moment."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from engine.common.lock_holder import lock_holder
from tests.engine_process import EngineProcess

SECONDS = 30.0


@pytest.fixture
def alone(home: Path) -> Iterator[EngineProcess]:
    """Yield an engine of this test alone."""
    process = EngineProcess(home)
    process.start()
    yield process
    process.end(signal.SIGKILL)


def remove(path: Path) -> None:
    """Remove the socket."""
    path.unlink()


def replace_by_file(path: Path) -> None:
    """Put a file in its place."""
    path.unlink()
    path.write_text("here")


def replace_by_socket(path: Path) -> None:
    """Put a socket in its place that nobody listens at."""
    path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))


def replace_by_link(path: Path) -> None:
    """Put a link to another socket in its place."""
    path.unlink()
    path.symlink_to("/run/nothing.sock")


def rename(path: Path) -> None:
    """Move it away."""
    path.rename(path.with_suffix(".old"))


def remove_folder(path: Path) -> None:
    """Remove its folder too."""
    path.unlink()
    for one in path.parent.iterdir():
        one.unlink()
    path.parent.rmdir()


def replace_by_fifo(path: Path) -> None:
    """Put a FIFO in its place."""
    path.unlink()
    os.mkfifo(path)


LOSSES = [remove, replace_by_file, replace_by_socket, replace_by_link, rename, remove_folder, replace_by_fifo]


@pytest.mark.parametrize("lose", LOSSES, ids=lambda lose: str(lose.__name__))
def test_a_lost_socket_is_made_again(alone: EngineProcess, lose: Callable[[Path], None]) -> None:
    """Clients find the engine again within seconds, whatever took the place of its socket."""
    lose(alone.socket)
    checks = {check["name"]: check for check in health(alone)}
    assert checks["endpoint: socket"]["ok"]
    assert 0o600 == alone.socket.stat().st_mode & 0o777
    assert "socket.restored" in (alone.home / "test.log").read_text()


def health(engine: EngineProcess) -> list[dict[str, object]]:
    """Return the checks of an engine as soon as it answers."""
    deadline = time.monotonic() + SECONDS
    while not engine.listens():
        assert time.monotonic() < deadline, "the engine does not answer"
        time.sleep(0.05)
    transport = httpx.HTTPTransport(uds=str(engine.socket))
    with httpx.Client(transport=transport, base_url="http://engine", timeout=SECONDS) as http:
        return list(http.get("/healthz").json()["checks"])


def test_a_stream_survives_that_the_socket_is_removed(alone: EngineProcess) -> None:
    """Connections that there were go on."""
    with socket.socket(socket.AF_UNIX) as reader:
        reader.settimeout(SECONDS)
        reader.connect(str(alone.socket))
        reader.sendall(b"GET /v1/events?since=0 HTTP/1.1\r\nhost: engine\r\n\r\n")
        assert reader.recv(1)
        alone.socket.unlink()
        health(alone)
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(str(alone.socket))
            other.sendall(
                b"POST /v1/history/verification HTTP/1.1\r\nhost: engine\r\ncontent-length: 0\r\n\r\n"
            )
            got = b""
            while b"history.verified" not in got:
                got += reader.recv(65536)


def test_a_socket_that_cannot_be_made_is_red_in_health(alone: EngineProcess) -> None:
    """A folder in its place is left alone; Health says what is wrong, and is well once the folder is gone."""
    transport = httpx.HTTPTransport(uds=str(alone.socket))
    with httpx.Client(transport=transport, base_url="http://engine", timeout=SECONDS) as http:
        http.get("/v1/submissions")
        alone.socket.unlink()
        alone.socket.mkdir()
        deadline = time.monotonic() + SECONDS
        while "socket.lost" not in (alone.home / "test.log").read_text():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        rows = {row["name"]: row for row in http.get("/healthz").json()["checks"]}
    assert not rows["endpoint: socket"]["ok"]
    assert "Is a directory" in str(rows["endpoint: socket"]["detail"])
    alone.socket.rmdir()
    assert {check["name"]: check for check in health(alone)}["endpoint: socket"]["ok"]


def pratique(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a home."""
    code = "import sys; from console.main import main; sys.exit(main())"
    environment = {**os.environ, "PRATIQUE_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def blocked(engine: EngineProcess) -> None:
    """Keep an engine from making its socket again."""
    engine.socket.unlink()
    engine.socket.mkdir()


def test_stop_finds_the_engine_by_its_lock(alone: EngineProcess) -> None:
    """Without a socket the engine is found by the lock of its history, and told to stop."""
    blocked(alone)
    done = pratique(alone.home, "stop")
    assert (0, "") == (done.returncode, done.stderr)
    assert f"process {alone.pid}" in re.sub(r"\s+", " ", done.stdout)
    assert alone._process is not None
    assert alone._process.wait(30) == 0


def test_doctor_names_the_engine_that_does_not_answer(alone: EngineProcess) -> None:
    """The row says which process it is, and what to type."""
    assert f"process {alone.pid} answers" in pratique(alone.home, "doctor").stdout
    blocked(alone)
    said = pratique(alone.home, "doctor").stdout
    assert f"process {alone.pid} does not answer" in said
    assert "pratique stop" in said


def test_serve_names_the_engine_that_runs(alone: EngineProcess) -> None:
    """A second engine refuses with the process of the first and what to type, with and without a socket."""
    first = EngineProcess(alone.home).run()
    blocked(alone)
    second = EngineProcess(alone.home).run()
    for refused in (first, second):
        assert 1 == refused.returncode
        assert "already running" in refused.stderr
        assert "Type: pratique stop" in refused.stderr
    assert f"process {alone.pid}" in second.stderr


def test_a_lock_that_nobody_holds_names_nobody(tmp_path: Path) -> None:
    """A lock file alone is no engine."""
    assert lock_holder(tmp_path / "none") is None
    (tmp_path / "lock").write_text("1")
    assert lock_holder(tmp_path / "lock") is None


def test_queue_finds_an_engine_whose_socket_was_removed(alone: EngineProcess) -> None:
    """No second engine is started: the command waits until the first has its socket again."""
    alone.socket.unlink()
    done = pratique(alone.home, "queue")
    assert (0, "") == (done.returncode, done.stderr)
    assert alone.pid == lock_holder(alone.home / "pratique.db.lock")
    assert not (alone.home / "engine.log").exists()


async def test_consoles_that_start_together_start_one_engine(home: Path) -> None:
    """Eight clients at once, one engine, and no error."""
    try:
        done = await asyncio.gather(*(asyncio.to_thread(pratique, home, "queue") for _ in range(8)))
        assert [(0, "")] * 8 == [(one.returncode, one.stderr) for one in done]
        assert (home / "engine.log").read_text().count("engine.started") == 1
    finally:
        pratique(home, "stop")


def test_few_open_files_are_named_as_the_cause(home: Path) -> None:
    """An engine that may open too few files does not start, and says so and what to type."""
    engine = EngineProcess(home)
    engine.limit_open_files(64)
    done = engine.run()
    assert 1 == done.returncode
    assert "too many open files" in done.stderr
    assert "ulimit -n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["queue", "serve", "stop", "history", "doctor"])
def test_a_home_that_cannot_be_written_is_said_in_a_sentence(command: str) -> None:
    """A read-only home is no traceback."""
    done = pratique(Path("/proc/pratique"), command)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "PRATIQUE_HOME" in done.stderr + done.stdout
