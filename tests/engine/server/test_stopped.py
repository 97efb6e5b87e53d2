"""An engine that somebody stopped stays stopped: a console that is open starts no other one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.client.connect import STOPPED, reconnect
from engine.common.errors import Problem
from tests.engine_process import EngineProcess

SECONDS = 150


async def test_what_was_stopped_is_not_started_by_an_open_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so and what to type, until somebody starts one: then it connects."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    process = EngineProcess(tmp_path)
    process.start()
    try:
        async with asyncio.timeout(SECONDS):
            async with process.client() as client:
                await client.shut_down()
            while process.listens():
                await asyncio.sleep(0.05)
            with pytest.raises(Problem, match=f"{STOPPED}. Type: pratique serve"):
                await reconnect()
            process.end()
            await asyncio.to_thread(process.start)
            async with await reconnect() as client:
                await client.reviews.queue()
    finally:
        process.end()
