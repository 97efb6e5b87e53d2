"""An engine in this process, over a history of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from engine.analysis_pool import AnalysisPool
from engine.core import Engine
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.settings import PolicySettings, SandboxSettings, Settings
from tests.sandboxes import sandbox_manager

EngineMaker = Callable[..., AbstractAsyncContextManager[Engine]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let everything lie in a folder of its own."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def engine_with(home: Path) -> EngineMaker:
    """Return what makes engines with given settings, one after the other, over the same history."""

    @contextlib.asynccontextmanager
    async def made(**groups: object) -> AsyncIterator[Engine]:
        unrecorded = PolicySettings(base="strict", require_full_review=False)
        settings = Settings.model_validate(
            {"sandbox": SandboxSettings(pool=0), "policy": unrecorded, **groups}
        )
        log = await SqliteHistoryStore.open(home / "pratique.db", settings.history)
        analysis_pool, sandboxes = (
            AnalysisPool(settings.analysis, workers=1),
            sandbox_manager(settings.sandbox, home.name[-12:]),
        )
        try:
            async with Engine(settings, log, analysis_pool, sandboxes) as engine:
                yield engine
        finally:
            await sandboxes.close()
            await analysis_pool.close()
            await log.close()

    return made


@pytest.fixture
async def no_docker(monkeypatch: pytest.MonkeyPatch, home: Path) -> AsyncIterator[None]:
    """Let Docker answer every call with an error, so that nothing can run."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 503 Gone\r\nContent-Length: 16\r\n"
            b'Content-Type: application/json\r\nConnection: close\r\n\r\n{"message": "-"}'
        )
        writer.close()

    monkeypatch.setenv("DOCKER_HOST", f"unix://{home}/docker.sock")
    async with await asyncio.start_unix_server(answer, home / "docker.sock"):
        yield
