"""Many mixed runs with faults among them: afterwards everything counts what it counted before."""

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path

import pytest

from engine.models import KillReason, Language, Result
from engine.sandbox import Job, SandboxManager, SandboxUnavailable
from engine.settings import SandboxSettings
from tests.docker_proxy import DockerProxy
from tests.sandboxes import IMAGES, Recorder, containers_of, job

ROUNDS = int(os.environ.get("PRATIQUE_SOAK", "18"))
"""How many runs; a thousand take about half an hour."""
_FAULT_EVERY = 6
_ENGINE = "test-soak"
_ALLOWED = {
    KillReason.NONE, KillReason.ENGINE_LOST, KillReason.SANDBOX_FAILED, KillReason.MEMORY, KillReason.OUTPUT,
}  # fmt: skip


def _mixed(number: int) -> Job:
    """Return one of the kinds of runs."""
    kinds = (
        lambda: job("print(1)"),
        lambda: job("echo 1; exit 3", Language.SHELL),
        lambda: job("open('f', 'wb').write(bytes(10**6)); print(1)", files={"in": b"x"}),
        lambda: job("x = []\nwhile True: x.append(b'x' * 10**7)", memory_mb=128),
        lambda: job("while True: print('x' * 999)", output_kb=64),
    )
    return kinds[number % len(kinds)]()


async def _fault(number: int, house: SandboxManager, proxy: DockerProxy) -> None:
    """Break something: the runtime's processes, the caller, or Docker."""
    watcher, asked = Recorder(), job("print('up')\nwhile True: pass")
    running = asyncio.create_task(_run(house, asked, watcher))
    await watcher.until_said(b"up")
    match number % 3:
        case 0:
            house._running[asked.run].box.kill_processes()
        case 1:
            running.cancel()
        case _:
            proxy.break_off()
            proxy.go_on()
    await asyncio.wait({running})


async def _run(house: SandboxManager, asked: Job, watcher: Recorder) -> Result:
    """Run as a patient caller does: when Docker is lost, ask again."""
    async with asyncio.timeout(120):
        while True:
            try:
                return await house.run(asked, watcher)
            except SandboxUnavailable:
                await asyncio.sleep(0.2)


def _counts() -> tuple[int, int]:
    """Return how many descriptors this process has open, and how many tasks."""
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir())), len(asyncio.all_tasks())


@pytest.mark.sandbox
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_faults_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """After mixed runs and faults no container, process, task or open file is left."""
    proxy = DockerProxy(tmp_path / "docker.sock")
    before = _counts()
    async with proxy.serving():
        monkeypatch.setenv("DOCKER_HOST", f"unix://{proxy.path}")
        house = SandboxManager(SandboxSettings(pool=1, grace_seconds=0.5), _ENGINE)
        await house.start()
        await house.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        for number in range(ROUNDS):
            result = await _run(house, _mixed(number), Recorder())
            assert result.kill_reason in _ALLOWED, result.evidence
            if number % _FAULT_EVERY == _FAULT_EVERY - 1:
                await _fault(number // _FAULT_EVERY, house, proxy)
        made = set(house._removed)
        await house.close()
    assert [] == containers_of(_ENGINE)
    assert [] == [pid for pid in Path("/proc").glob("[0-9]*") if _names_any(pid, made)]
    assert before == _counts()


def _names_any(process: Path, containers: set[str]) -> bool:
    try:
        words = (process / "cmdline").read_text().split("\0")
    except OSError:
        return False
    return not containers.isdisjoint(words)
