"""An engine counts as drained once nothing runs there, and nothing has come for a while."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from engine.server.probe import alive, drained
from tests.engine_process import EngineProcess

QUIET = 0.2


def client(counts: Iterator[int]) -> httpx.Client:
    """Return a client that is told how many runs the engine has, look by look."""

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text=f"pratique_engine_runs {next(counts)}.0\n")

    return httpx.Client(transport=httpx.MockTransport(answer), base_url="http://engine")


def test_what_is_approved_after_an_idle_look_is_waited_for() -> None:
    """The Service still led a reviewer here when nothing ran."""
    counts = iter([0, 0, 1, 1, *[0] * 1000])
    began = time.monotonic()
    assert drained(client(counts), 60, QUIET)
    assert next(counts) == 0
    assert QUIET <= time.monotonic() - began


def test_a_real_engine_is_told_to_drain_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal does not end it, and its metrics say what it runs."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    process = EngineProcess(tmp_path)
    process.start()
    try:
        transport = httpx.HTTPTransport(uds=str(process.socket))
        with httpx.Client(transport=transport, base_url="http://localhost") as engine:
            assert (True, True) == (drained(engine, 60, QUIET), alive(engine))
            assert "engine.draining" in (tmp_path / "test.log").read_text()
            assert "pratique_engine_runs 0.0" in engine.get("/metrics").text
    finally:
        process.end()


def test_a_run_that_does_not_end_is_not_waited_for_forever(capsys: pytest.CaptureFixture[str]) -> None:
    """The preStop hook ends before the Pod's grace period does."""
    assert not drained(client(iter(lambda: 1, None)), 0.1, QUIET)
    assert "end as interrupted" in capsys.readouterr().err
