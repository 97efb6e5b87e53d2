"""`pratique kill` and `pratique stop` ask the engine before anything large is imported."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.client import brake
from tests.engine_process import EngineProcess

LARGE = {"asyncio", "httpx", "pydantic", "pydantic_core", "typer", "yaml", "cryptography", "textual", "rich"}
COMMAND = "import sys; from console.main import main; code = main(); print(*sys.modules); sys.exit(code)"


def typed(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Type a command in a fresh process; the last line of its output are the modules that it imported."""
    environment = {**os.environ, "PRATIQUE_HOME": str(home)}
    command = [sys.executable, "-c", COMMAND, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


@contextmanager
def answering(home: Path, status: str) -> Iterator[list[str]]:
    """Answer every request at the socket with a status, and keep what was asked for."""
    asked: list[str] = []
    (home / "run").mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / "run/engine.sock"))
        listener.listen()

        def serve() -> None:
            while True:
                connection, _ = listener.accept()
                with connection:
                    line = connection.recv(4096).split(b"\r\n")[0].decode()
                    if not line:
                        return
                    asked.append(line)
                    connection.sendall(f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode())

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield asked
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(home / "run/engine.sock"))
        thread.join(30)


def test_a_kill_imports_nothing_large(tmp_path: Path) -> None:
    """It asks for the kill, waits for its end, and has imported neither models nor client."""
    with answering(tmp_path, "204 No Content") as asked:
        ended = typed(tmp_path, "kill", "s-1")
    said, modules = ended.stdout.splitlines()
    assert (0, "s-1: killed") == (ended.returncode, said)
    assert ["POST /v1/runs/s-1/kill HTTP/1.1", "GET /v1/submissions/s-1?within=10 HTTP/1.1"] == asked
    assert set() == LARGE & set(modules.split())


def test_a_stop_ends_a_real_engine(tmp_path: Path) -> None:
    """It says so, and the engine's exit code is 0."""
    engine = EngineProcess(tmp_path, PRATIQUE_SANDBOX__IMAGES="{}")
    engine.start()
    try:
        ended = typed(tmp_path, "stop")
        said, modules = ended.stdout.splitlines()
        assert (0, "The engine is stopping.") == (ended.returncode, said)
        assert set() == LARGE & set(modules.split())
    finally:
        code = engine.end()
    assert 0 == code


@pytest.mark.parametrize("status", ["404 Not Found", "503 Service Unavailable", "nonsense"])
def test_any_answer_but_success_is_left_to_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """Its errors say what happened, and what to type."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    with answering(tmp_path, status) as asked:
        assert not brake.brake(["kill", "s-1"])
    assert ["POST /v1/runs/s-1/kill HTTP/1.1"] == asked


@pytest.mark.parametrize(
    "words",
    [
        ["kill"],
        ["kill", "s-1", "--json"],
        ["kill", "../x"],
        ["kill", "--help"],
        ["stop", "--json"],
        ["kill", "s 1"],
    ],
)
def test_other_words_are_left_to_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """Options, help, and what is no id: nothing is asked."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    with answering(tmp_path, "204 No Content") as asked:
        assert not brake.brake(words)
    assert [] == asked


def test_a_remote_engine_is_left_to_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its token and its certificate are the client's concern; the local engine is not stopped instead."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    monkeypatch.setenv(brake.REMOTE, "https://engine.example")
    with answering(tmp_path, "204 No Content") as asked:
        assert not brake.brake(["stop"])
    assert [] == asked


def test_where_none_listens_it_is_left_to_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No socket, and one that nobody holds."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    assert not brake.brake(["stop"])
    with answering(tmp_path, "204 No Content"):
        pass
    assert not brake.brake(["stop"])
