"""The supervisor of a sandbox takes its order and gives its word alone; what it runs cannot reach it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from engine.models import KillReason, Language
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-supervisor"
SHELL, NODE = Language.SHELL, Language.JAVASCRIPT


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes."""
    manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


async def test_no_process_of_a_sandbox_has_a_capability_or_the_supervisors_user(
    manager: SandboxManager,
) -> None:
    """The first process has given up being root; the program is user 1000, in every way."""
    code = """
for pid in (1, 'self'):
    status = dict(line.split(':', 1) for line in open(f'/proc/{pid}/status').read().splitlines())
    print(*status['Uid'].split(), *status['Gid'].split(), status['CapPrm'].strip('0\\t') or 'none')
"""
    watcher = Recorder()
    await manager.run(job(code), watcher)
    assert b"1001 1000 1001 1000 1000 1000 1000 1000 none\n" + b"1000 " * 8 + b"none\n" == watcher.stdout


@pytest.mark.parametrize("language", [SHELL, NODE, Language.PYTHON])
async def test_programs_can_open_their_own_output_by_name(
    manager: SandboxManager, language: Language
) -> None:
    """`/dev/stdout` and `/dev/stderr` lead to the program's streams in every language."""
    code = {
        SHELL: "echo out > /dev/stdout; echo err > /dev/stderr",
        NODE: "for (const n of ['out', 'err']) require('fs').writeFileSync(`/dev/std${n}`, n + '\\n')",
        Language.PYTHON: "for n in ('out', 'err'): open('/dev/std' + n, 'w').write(n + '\\n')",
    }[language]
    watcher = Recorder()
    await manager.run(job(code, language), watcher)
    assert (b"out\n", b"err\n") == (watcher.stdout, watcher.stderr)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (Language.PYTHON, "import os\nos.write(1, b'x' * 4_000_000)\nos.write(2, b'y' * 3_000_000)"),
        (NODE, "process.stdout.write('x'.repeat(4e6)); process.stderr.write('y'.repeat(3e6))"),
        (SHELL, "head -c 4000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2"),
    ],
)
async def test_one_write_is_written_whole(manager: SandboxManager, language: Language, code: str) -> None:
    """A program that ignores how much of its write was taken loses nothing."""
    watcher = Recorder()
    await manager.run(job(code, language, output_kb=8192), watcher)
    assert (4_000_000, 3_000_000) == (len(watcher.stdout), len(watcher.stderr))


async def test_a_process_of_an_earlier_execution_never_reads_a_later_order(manager: SandboxManager) -> None:
    """It forks on and on to escape being stopped, and still neither opens nor stops the supervisor."""
    staying = replace(job("pass", image="pratique/notebook", processes=32), session="s-1", principal="ada")
    escaping = """
import os, time
if os.fork() == 0:
    end = time.time() + 20
    while time.time() < end:
        if os.fork(): os._exit(0)
        for place in ('/proc/1/fd/0', '/proc/1/fd/1', '/proc/1/task/1/fd/0', '/proc/1/mem'):
            try:
                stolen = os.read(os.open(place, os.O_RDONLY | os.O_NONBLOCK), 4096)
                open('/workspace/stolen', 'ab').write(stolen)
            except OSError: pass
        for number in (9, 15, 19):
            try: os.kill(1, number); open('/workspace/stolen', 'ab').write(b'signalled')
            except OSError: pass
    os._exit(0)
"""
    looking = "import os; print(os.path.exists('/workspace/stolen'))"
    said = []
    for number, code in enumerate((escaping, looking, looking)):
        watcher = Recorder()
        given = replace(staying, run=f"e-{number}", code=code.encode())
        result = await manager.run(given, watcher)
        assert KillReason.NONE is result.kill_reason, result.evidence
        said.append(watcher.stdout)
    manager.sessions.end("s-1")
    assert [b"", b"False\n", b"False\n"] == said
