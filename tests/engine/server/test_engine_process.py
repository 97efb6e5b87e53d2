"""The process of an engine that hangs is found, whatever keeps its history."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest

from engine.client.engine_process import engine_process
from tests.engine_process import EngineProcess
from tests.postgres_server import server


def test_an_engine_over_postgresql_that_hangs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds no lock on this machine; the kernel knows who listens at its socket."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    url = server().database("hanging")
    engine = EngineProcess(tmp_path, PRATIQUE_HISTORY__DATABASE=url, DOCKER_HOST=f"unix://{tmp_path}/none")
    engine.start()
    try:
        os.kill(engine.pid, signal.SIGSTOP)
        assert engine.pid == engine_process()
    finally:
        os.kill(engine.pid, signal.SIGCONT)
        engine.end()


def test_a_socket_that_takes_no_more_connections_names_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks does not wait for a process that never answers."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    (tmp_path / "run").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as full, socket.socket(socket.AF_UNIX) as waiting:
        full.bind(str(tmp_path / "run/engine.sock"))
        full.listen(0)
        waiting.connect(str(tmp_path / "run/engine.sock"))
        assert engine_process() is None


def test_without_an_engine_there_is_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a lock nor a socket."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    assert engine_process() is None
