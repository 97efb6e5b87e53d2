"""What a frozen run shows: its processes, what they have open, what it wrote, its last effects, its stack."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from engine.common.snapshot_lines import snapshot_lines
from engine.models import Language
from engine.models.snapshot import RunSnapshot, SnapshotProcess
from engine.sandbox import SandboxUnavailable
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-look"
_SECONDS = 60
PYTHON = """
import os, socket, subprocess, sys, time
kept = open('kept.txt', 'w'); kept.write('x'); kept.flush()
open('closed.txt', 'w').close()
server = socket.socket(); server.bind(('127.0.0.1', 8123)); server.listen()
caller = socket.create_connection(('127.0.0.1', 8123))
child = subprocess.Popen(['sh', '-c', 'cd /tmp; exec 7>/tmp/child.log; sleep 300 & wait'])
def waits():
    while True:
        time.sleep(0.05)
print('on', flush=True)
waits()
"""
JAVASCRIPT = """
globalThis.kept = require('fs').openSync('kept.txt', 'w')
console.log('on')
setInterval(() => 0, 1000)
"""
FLOOD = """
import os
print('on', flush=True)
number = 0
while True:
    number += 1
    os.close(os.open('/workspace/f%d' % (number % 300), os.O_CREAT | os.O_WRONLY))
"""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes."""
    manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


class _Going:
    """A run that goes on until it is killed."""

    def __init__(self, manager: SandboxManager, code: str, language: Language = Language.PYTHON) -> None:
        self._manager = manager
        self.watcher = Recorder()
        self.job = job(code, language, seconds=120)
        self.id = self.job.run

    async def __aenter__(self) -> _Going:
        self.running = asyncio.create_task(self._manager.run(self.job, self.watcher))
        await self.watcher.until_said(b"on\n")
        return self

    async def __aexit__(self, *args: object) -> None:
        await self._manager.kill(self.id, "a test")
        await self.running

    async def until(self, holds: Callable[[RunSnapshot], bool]) -> RunSnapshot:
        """Look until something holds."""
        async with asyncio.timeout(_SECONDS):
            while not holds(seen := await self._manager.look(self.id)):
                await asyncio.sleep(0.05)
        return seen

    async def frozen(self) -> RunSnapshot:
        """Pause it, and look within the time that a person waits."""
        assert await self._manager.pause(self.id)
        async with asyncio.timeout(5):
            return await self._manager.look(self.id)


def _by_command(seen: RunSnapshot) -> dict[str, SnapshotProcess]:
    assert seen.kernel is not None
    return {one.command.text or one.program.text: one for one in seen.kernel.processes}


async def test_a_frozen_run_shows_everything(manager: SandboxManager) -> None:
    """Its tree, files and sockets that are open, what it wrote, and where Python is."""
    async with _Going(manager, PYTHON) as run:
        await run.until(lambda seen: "sleep 300" in _by_command(seen) and "waits" in seen.stack.text)
        seen = await run.frozen()
    assert seen.paused
    processes = _by_command(seen)
    program, shell, sleep = processes["the program"], processes["sh -c " + SHELL], processes["sleep 300"]
    assert (program.pid, shell.pid) == (shell.parent, sleep.parent)
    assert "/tmp" == sleep.folder.text
    files = {one.name.text for one in program.open if not one.socket}
    assert {"/workspace/kept.txt"} == {name for name in files if name.startswith("/workspace")}
    assert ["127.0.0.1:8123"] * 2 == [one.name.text for one in program.open if one.socket]
    assert "/tmp/child.log" in {one.name.text for one in shell.open}
    assert "/workspace/kept.txt" not in {one.name.text for one in shell.open}
    assert seen.kernel is not None
    written = {one.target.text for one in seen.kernel.written}
    assert {"/workspace/kept.txt", "/workspace/closed.txt", "/tmp/child.log"} <= written
    assert {"process", "write", "connect", "listen"} <= {one.kind.value for one in seen.kernel.last}
    assert any("kept.txt" in line for line in snapshot_lines(seen))


SHELL = "'cd /tmp; exec 7>/tmp/child.log; sleep 300 & wait'"


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (Language.JAVASCRIPT, JAVASCRIPT),
        (Language.SHELL, "exec 8>kept.txt; echo on; sleep 300"),
    ],
    ids=["javascript", "shell"],
)
async def test_other_languages_show_what_they_have_open(
    manager: SandboxManager, language: Language, code: str
) -> None:
    """A file that is open when the run is frozen is named."""
    async with _Going(manager, code, language) as run:
        await run.until(lambda seen: "kept.txt" in seen.model_dump_json())
        seen = await run.frozen()
        assert seen.kernel is not None
        names = {one.name.text for process in seen.kernel.processes for one in process.open}
    assert "/workspace/kept.txt" in names


async def test_a_frozen_run_goes_on_as_it_was(manager: SandboxManager) -> None:
    """Looking changes nothing: after it the program ends by itself."""
    code = "import time\nprint('on', flush=True)\ntime.sleep(0.5)\nopen('after', 'w').close()\nprint('end')"
    async with _Going(manager, code) as run:
        await run.frozen()
        first, second = await asyncio.gather(manager.look(run.id), manager.look(run.id))
        assert (True, first.at) == (first.paused, second.at)
        assert await manager.resume(run.id)
        result = await run.running
    assert (0, b"on\nend\n") == (result.exit_code, run.watcher.stdout)
    assert "/workspace/after" in {one.target.text for one in run.watcher.effects.values()}


async def test_a_flood_is_looked_at_within_bounds(manager: SandboxManager) -> None:
    """While it opens files without end, and once it is frozen, the answer comes, and is bounded."""
    async with _Going(manager, FLOOD) as run:
        async with asyncio.timeout(5):
            await manager.look(run.id)
        await run.until(lambda seen: seen.kernel is not None and len(seen.kernel.last) == 100)
        seen = await run.frozen()
    assert seen.kernel is not None
    assert 100 == len(seen.kernel.last)
    assert len(seen.kernel.written) <= 121


async def test_without_a_listener_the_sheet_says_so(manager: SandboxManager) -> None:
    """One that hangs delays the answer by its deadline; the run is not touched."""
    assert isinstance(manager.driver, DockerDriver)
    process = manager.driver.factory.tracer.process
    async with _Going(manager, PYTHON) as run:
        os.kill(process.pid, signal.SIGSTOP)
        seen = await run.frozen()
        assert (None, True) == (seen.kernel, seen.paused)
        assert "listener" in seen.unobserved
        os.kill(process.pid, signal.SIGKILL)
        assert await manager.resume(run.id)
        assert not run.running.done()


async def test_what_does_not_run_cannot_be_looked_at(manager: SandboxManager) -> None:
    """A run that ended, or never was, is refused in words."""
    with pytest.raises(SandboxUnavailable, match="not running"):
        await manager.look("r-none")
