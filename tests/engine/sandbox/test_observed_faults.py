"""Observed effects under attack and with a broken listener, in real sandboxes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from engine.models import KillReason, Language, Result
from engine.models.observed import Observation, ObservationStatus, ObservedKind
from engine.sandbox.api.driver import Sandbox
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.drivers.docker.trace_process import TraceProcess
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.engine_process import EngineProcess
from tests.sandboxes import IMAGES, Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-observed-faults"
WAITING = (
    "import sys, time\nprint('on', flush=True)\ntime.sleep({})\nopen('after', 'w').close()\nprint('end')"
)
_SECONDS = 60


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes."""
    manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), ENGINE)
    await manager.start()
    pid = _listener(manager).pid
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)
    assert not _exists(pid)
    assert not _exists(_listener(manager).pid or pid)


def _listener(manager: SandboxManager) -> TraceProcess:
    assert isinstance(manager.driver, DockerDriver)
    return manager.driver.factory.tracer.process


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def _ready(manager: SandboxManager) -> int:
    """Wait until there is a listener, and return its process."""
    await asyncio.wait_for(_listener(manager).ready.wait(), _SECONDS)
    return _listener(manager).pid


async def _observe(
    manager: SandboxManager, code: str, seconds: int = 20
) -> tuple[Result, Recorder, Observation]:
    watcher = Recorder()
    result = await manager.run(job(code, seconds=seconds), watcher)
    assert watcher.observation is not None
    return result, watcher, watcher.observation


async def test_a_flood_is_counted_exactly(manager: SandboxManager) -> None:
    """Of 40,000 opens, 20,000 of them of distinct files, none is lost, and the record stays small."""
    await _ready(manager)
    code = """
import os
for number in range(20000):
    os.close(os.open('/workspace/f', os.O_CREAT | os.O_WRONLY))
    try: os.open('/nowhere/%d' % number, os.O_RDONLY)
    except OSError: pass
open('/etc/passwd').read()
"""
    _, watcher, observation = await _observe(manager, code, seconds=120)
    assert (0, 0) == (observation.dropped, observation.unreadable)
    assert 20000 == next(one.count for one in watcher.effects.values() if one.target.text == "/workspace/f")
    assert 20000 <= observation.counts["read"]
    assert len(watcher.effects) < 400
    assert 20000 - 130 <= observation.omitted


async def test_names_that_are_no_text_are_counted(manager: SandboxManager) -> None:
    """A process name and a folder that are not UTF-8 silence nothing; that a file name is missing is said."""
    await _ready(manager)
    code = """
import ctypes, os
ctypes.CDLL(None).prctl(15, b'x\\xff')
os.mkdir(b'd\\xff'); os.chdir(b'd\\xff')
open(b'/workspace/f\\xff', 'w').close()
open('/workspace/seen', 'w').close()
"""
    _, watcher, observation = await _observe(manager, code)
    assert "/workspace/seen" in {one.target.text for one in watcher.effects.values()}
    assert (ObservationStatus.INCOMPLETE, 2) == (observation.status, observation.unreadable)
    assert "not UTF-8" in observation.reasons[0]


async def test_what_a_run_did_before_it_was_killed_is_kept(manager: SandboxManager) -> None:
    """A run that runs into its deadline has its effects, too."""
    await _ready(manager)
    code = "open('begun', 'w').close()\nimport signal; signal.signal(15, 1)\nwhile True: pass"
    result, watcher, _ = await _observe(manager, code, seconds=1)
    assert KillReason.TIMEOUT is result.kill_reason
    assert "/workspace/begun" in {one.target.text for one in watcher.effects.values()}


async def test_effects_come_while_the_run_goes_on(manager: SandboxManager) -> None:
    """An effect is recorded before the run has ended."""
    await _ready(manager)
    watcher = Recorder()
    code = "open('early', 'w').close()\nimport time\nwhile True: time.sleep(0.1)"
    run = job(code, seconds=60)
    running = asyncio.create_task(manager.run(run, watcher))
    async with asyncio.timeout(_SECONDS):
        while "/workspace/early" not in {one.target.text for one in watcher.effects.values()}:
            await asyncio.sleep(0.05)
    assert not running.done()
    await manager.kill(run.run, "a test")
    await running


async def test_a_listener_that_is_killed_ends_no_run(manager: SandboxManager) -> None:
    """The run ends as it would have, its ledger is incomplete, and the next one is observed again."""
    pid = await _ready(manager)
    watcher = Recorder()
    running = asyncio.create_task(manager.run(job(WAITING.format(1), Language.PYTHON), watcher))
    await watcher.until_said(b"on\n")
    os.kill(pid, signal.SIGKILL)
    result = await running
    assert (0, b"on\nend\n") == (result.exit_code, watcher.stdout)
    assert watcher.observation is not None
    assert ObservationStatus.INCOMPLETE is watcher.observation.status
    assert "observed effects" in {check.name for check in await manager.checks() if not check.ok}
    assert pid != await _ready(manager)
    _, watcher, observation = await _observe(manager, "open('again', 'w').close()")
    assert ObservationStatus.COMPLETE is observation.status


async def test_a_listener_that_hangs_blocks_neither_a_start_nor_an_end(manager: SandboxManager) -> None:
    """A run that goes on ends as it would have, another one starts, and the listener is replaced."""
    pid = await _ready(manager)
    watcher = Recorder()
    running = asyncio.create_task(manager.run(job(WAITING.format(1), Language.PYTHON), watcher))
    await watcher.until_said(b"on\n")
    os.kill(pid, signal.SIGSTOP)
    async with asyncio.timeout(_SECONDS):
        result, _, _ = await _observe(manager, "print('started')")
        assert 0 == result.exit_code
        assert 0 == (await running).exit_code
        assert pid != await _ready(manager)
    assert watcher.observation is not None
    assert ObservationStatus.INCOMPLETE is watcher.observation.status


@contextlib.asynccontextmanager
async def _pooled(name: str) -> AsyncIterator[SandboxManager]:
    """A manager with a pool, whose listener is ready."""
    manager = sandbox_manager(SandboxSettings(pool=1, grace_seconds=0.5), f"{ENGINE}-{name}")
    await manager.start()
    try:
        await _ready(manager)
        yield manager
    finally:
        await manager.close()
    assert [] == containers_of(f"{ENGINE}-{name}")


async def _warm(manager: SandboxManager, than: Sandbox | None = None) -> Sandbox:
    """Return the ready sandbox, once there is another one."""
    await manager.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
    ready = manager.pool.image_pools[0].sandboxes
    async with asyncio.timeout(_SECONDS):
        while not ready or ready[0] is than:
            await asyncio.sleep(0.05)
    return ready[0]


async def test_a_ready_sandbox_that_lost_its_listener_is_not_used() -> None:
    """After the listener was lost, the next run is observed in another sandbox."""
    async with _pooled("lost") as manager:
        await _warm(manager)
        pid = await _ready(manager)
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(_SECONDS):
            while _listener(manager).pid in {0, pid} or not _listener(manager).ready.is_set():
                await asyncio.sleep(0.05)
        _, _, observation = await _observe(manager, "open('seen', 'w').close()")
        assert ObservationStatus.COMPLETE is observation.status


async def test_a_sandbox_that_was_ready_before_the_listener_is_replaced() -> None:
    """Nobody has to run anything for that."""
    async with _pooled("early") as manager:
        listener = _listener(manager)
        os.kill(listener.pid, signal.SIGSTOP)
        listener.ready.clear()
        early = await _warm(manager)
        assert (None, "the listener of effects was not ready") == (early.effects, early.unobserved)
        os.kill(listener.pid, signal.SIGCONT)
        assert (await _warm(manager, than=early)).effects is not None


async def test_without_a_listener_a_ready_sandbox_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run takes no longer for want of a listener, which does not start any more; it says so."""
    async with _pooled("dead") as manager:
        await _warm(manager)
        monkeypatch.setattr(sys, "executable", "/bin/false")
        os.kill(_listener(manager).pid, signal.SIGKILL)
        async with asyncio.timeout(_SECONDS):
            while _listener(manager).ready.is_set():
                await asyncio.sleep(0.05)
        result, watcher, observation = await _observe(manager, "print('on')")
        assert (0, True) == (result.exit_code, "sandbox.acquired" in watcher.types)
        assert ObservationStatus.INCOMPLETE is observation.status


async def test_where_nothing_can_be_observed_the_run_says_so(
    manager: SandboxManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without root the code runs, and its effects are said not to be observed."""
    assert isinstance(manager.driver, DockerDriver)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    result, watcher, observation = await _observe(manager, "open('x', 'w').close()")
    assert 0 == result.exit_code
    assert ({}, ObservationStatus.NONE) == (watcher.effects, observation.status)
    assert "root" in observation.reasons[0]


@pytest.mark.parametrize("kind", [ObservedKind.DELETE])
async def test_an_input_file_that_is_deleted_is_named(manager: SandboxManager, kind: ObservedKind) -> None:
    """The kernel tells no name, but the file is no longer there."""
    await _ready(manager)
    watcher = Recorder()
    await manager.run(job("import os; os.unlink('given.csv')", files={"given.csv": b"1"}), watcher)
    assert (kind, "/workspace/given.csv") in {(one.kind, one.target.text) for one in watcher.effects.values()}


def _children(pid: int) -> list[int]:
    """Return the listeners that a process has started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            command = (entry / "cmdline").read_bytes()
        except (OSError, IndexError, ValueError):
            continue
        if parent == pid and b"trace_listener" in command:
            found.append(int(entry.name))
    return found


async def test_a_listener_does_not_outlive_an_engine_that_is_killed(tmp_path: Path) -> None:
    """Neither one that works nor one that hangs is left behind."""
    engine = EngineProcess(tmp_path)
    engine.start()
    async with asyncio.timeout(_SECONDS):
        while not (listeners := _children(engine.pid)) or not _has_begun(listeners[0]):
            await asyncio.sleep(0.05)
        os.kill(listeners[0], signal.SIGSTOP)
        engine.end(signal.SIGKILL)
        while _runs(listeners[0]):
            await asyncio.sleep(0.05)


def _has_begun(pid: int) -> bool:
    """Return whether a listener ignores interrupts, which it does once it is tied to its engine."""
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn"))
    return bool(int(ignored, 16) & 1 << signal.SIGINT - 1)


def _runs(pid: int) -> bool:
    """Return whether a process exists, and is not only waiting for somebody to take note of its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except OSError:
        return False
