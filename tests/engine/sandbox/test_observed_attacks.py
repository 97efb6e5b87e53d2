"""Programs that try to blind, forge or outrun the record of their effects, in real sandboxes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.models import Language
from engine.models.observed import Basis, Observation, ObservationStatus, ObservedEffect, ObservedKind
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-observed-attacks"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes."""
    manager = sandbox_manager(SandboxSettings(pool=0), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


async def _observe(
    manager: SandboxManager, code: str, language: Language = Language.PYTHON
) -> tuple[Recorder, list[ObservedEffect], Observation]:
    """Return what a program printed, what it was seen to do, and whether that is all."""
    watcher = Recorder()
    await manager.run(job(code, language, seconds=60), watcher)
    assert watcher.observation is not None
    return watcher, [*watcher.effects.values()], watcher.observation


def _reads(effects: list[ObservedEffect], target: str = "", detail: str = "") -> int:
    """Return how many reads of a target succeeded, opened as the detail says."""
    return sum(
        one.count - one.refused
        for one in effects
        if one.kind is ObservedKind.READ
        and one.target.text.startswith(target)
        and (one.detail.text.startswith(detail) if detail else not one.detail)
    )


FORGES = """
import ctypes, os, sys, threading
sys.setswitchinterval(1e-6)
open('/workspace/innocent', 'w').close()
libc, name = ctypes.CDLL(None), ctypes.create_string_buffer(64)
names = (b'/workspace/innocent\\0', b'/etc/passwd\\0')
wanted, going = os.stat('/etc/passwd').st_ino, True
def swap():
    while going:
        for one in names:
            ctypes.memmove(name, one, len(one))
swapper = threading.Thread(target=swap)
swapper.start()
opened = 0
for _ in range(3000):
    number = libc.open(name, os.O_RDONLY)
    if number >= 0:
        opened += os.fstat(number).st_ino == wanted
        os.close(number)
going = False
swapper.join()
print(opened)
"""
"""Another thread changes the name of the file while it is opened."""


async def test_a_forged_name_hides_no_file(manager: SandboxManager) -> None:
    """Whatever name was read beside the call, every file that was opened and closed is counted by its own."""
    watcher, effects, _ = await _observe(manager, FORGES)
    as_asked = _reads(effects, "/etc/passwd") - _reads(effects, detail="opened as /etc/passwd")
    assert int(watcher.stdout) == as_asked + _reads(effects, "/etc/passwd", "opened as")
    assert Basis.KERNEL in {one.basis for one in effects if one.target.text == "/etc/passwd"}


NAMELESS = """
import os
m = os.memfd_create(b'm\\xff')
os.write(m, open('/bin/true', 'rb').read())
os.fork() or os.execv(f'/proc/self/fd/{m}', ['true'])
os.wait()
"""


async def test_a_program_is_told_whose_name_the_kernel_withholds(manager: SandboxManager) -> None:
    """It was executed, and the record says so, and that it is not complete."""
    _, effects, observation = await _observe(manager, NAMELESS)
    (nameless,) = [one for one in effects if one.kind is ObservedKind.PROCESS]
    assert nameless.target.text.startswith("/proc/self/fd/")
    assert (0, 0) == (nameless.exit, nameless.refused)
    assert "executed, but the kernel did not tell its name" == nameless.detail.text
    assert ObservationStatus.INCOMPLETE is observation.status


FOLDERS = """
import os
os.mkdir(b'd\\xff')
os.fchdir(os.open(b'd\\xff', os.O_RDONLY))
open('hidden', 'w').close()
os.chdir('/workspace')
open('plain', 'w').close()
"""


async def test_a_folder_whose_name_the_kernel_withholds_is_unknown(manager: SandboxManager) -> None:
    """Names in it are given no folder that the process has left."""
    _, effects, observation = await _observe(manager, FOLDERS)
    written = {one.target.text for one in effects if one.kind is ObservedKind.WRITE}
    assert {"/workspace/plain", "(unknown folder)/hidden"} <= written
    assert "/workspace/hidden" not in written
    assert ObservationStatus.INCOMPLETE is observation.status


async def test_a_flood_of_harmless_files_hides_no_grave_one(manager: SandboxManager) -> None:
    """What comes after more files than are kept is kept where it is graver."""
    code = """
for number in range(300):
    open(f'f{number}', 'w').close()
    open(f'f{number}').close()
open('/etc/passwd').close()
try: open('/etc/cron.d/x', 'w')
except OSError: pass
"""
    _, effects, observation = await _observe(manager, code)
    assert {"/etc/passwd", "/etc/cron.d/x"} <= {one.target.text for one in effects}
    assert 300 <= observation.counts["read"]
    assert 300 <= observation.counts["write"]
    assert ObservationStatus.COMPLETE is observation.status


CHILDREN = """
import os
here, there = os.pipe()
for number in range(200):
    child = os.fork()
    if not child:
        if os.fork():
            os._exit(0)
        os.setsid()
        os.open(f'/workspace/c{number % 3}', os.O_CREAT | os.O_WRONLY)
        os._exit(7)
    os.waitpid(child, 0)
os.close(there)
os.read(here, 1)
"""
"""It reads until the last of them has ended."""


async def test_children_that_live_for_a_moment_are_counted(manager: SandboxManager) -> None:
    """Each of 400, half of them in sessions of their own, whose parents are gone; and what they wrote."""
    _, effects, observation = await _observe(manager, CHILDREN)
    forks = [one for one in effects if one.kind is ObservedKind.PROCESS]
    assert (400, {"fork"}) == (sum(one.count for one in forks), {one.detail.text for one in forks})
    written = [one for one in effects if one.kind is ObservedKind.WRITE]
    assert 200 == sum(one.count for one in written if one.target.text.startswith("/workspace/c"))
    assert ObservationStatus.COMPLETE is observation.status


MEMORY = """
import os
m = os.memfd_create('python3')
os.write(m, open('/bin/true', 'rb').read())
for _ in range(3):
    os.fork() or os.execve(m, ['/usr/bin/python3'], {})
    os.wait()
"""


async def test_a_program_in_memory_does_not_pass_for_a_file(manager: SandboxManager) -> None:
    """Whatever it is called, and whatever its arguments say."""
    _, effects, _ = await _observe(manager, MEMORY)
    executed = [one for one in effects if one.kind is ObservedKind.MEMORY and one.target]
    assert [("/memfd:python3 (deleted)", 3)] == [(one.target.text, one.count) for one in executed]


RENAMED = """
import os
open('given', 'w').write('x')
os.rename('given', 'other'); os.rename('other', 'last'); os.unlink('last')
number = os.open('gone', os.O_CREAT | os.O_RDWR)
os.unlink('gone')
os.close(number)
"""


async def test_files_that_were_renamed_and_deleted_are_told(manager: SandboxManager) -> None:
    """Each call is counted; what vanished is named, and what had no name any more when it was closed."""
    _, effects, _ = await _observe(manager, RENAMED)
    counted = {one.kind: one.count for one in effects if one.basis is Basis.COUNTED}
    assert (2, 2) == (counted[ObservedKind.RENAME], counted[ObservedKind.DELETE])
    deleted = {one.target.text for one in effects if one.kind is ObservedKind.DELETE and one.target}
    assert {"/workspace/given", "/workspace/gone"} <= deleted


LINKS = """
import fcntl, os, socket
os.symlink('/etc/passwd', 'link')
number = os.open('link', os.O_RDONLY)
copy = os.dup(number)
os.dup2(os.open('/dev/null', os.O_RDONLY), number)
os.read(copy, 10)
os.close(copy)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
other = fcntl.fcntl(s.fileno(), fcntl.F_DUPFD, 100)
try: socket.socket(fileno=other, family=socket.AF_INET, type=socket.SOCK_DGRAM).sendto(b'x', ('8.8.4.4', 53))
except OSError: pass
"""


async def test_a_descriptor_under_another_number_hides_nothing(manager: SandboxManager) -> None:
    """Neither the true name of a file, nor what is sent."""
    _, effects, _ = await _observe(manager, LINKS)
    assert "/etc/passwd" in {one.target.text for one in effects if one.basis is Basis.KERNEL}
    assert [1] == [one.count for one in effects if one.kind is ObservedKind.SEND]
