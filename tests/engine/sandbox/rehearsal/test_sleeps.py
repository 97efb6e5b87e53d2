"""Sleeps of a rehearsal: they are shortened up to a bound, the clocks agree, and the rest is as in a run."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from engine.models import Language, Result
from engine.sandbox.guest_protocol.programs import shortened_sleeps
from engine.sandbox.rehearsal.stage import Stage
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.sandboxes import Recorder, job, sandbox_manager

PYTHON, NODE, SHELL = Language.PYTHON, Language.JAVASCRIPT, Language.SHELL
asynchronous = pytest.mark.asyncio(loop_scope="module")
SLEEPERS = {
    "Python": (PYTHON, """
import asyncio, datetime, threading, time
before, day = time.monotonic(), datetime.datetime.now()
time.sleep(20)
asyncio.run(asyncio.sleep(20))
threading.Event().wait(20)
passed = datetime.datetime.now() - day
print(round(time.monotonic() - before), round(passed.total_seconds()))
"""),
    "JavaScript": (NODE, """
const { setTimeout: pause } = require('node:timers/promises')
const [before, day] = [performance.now(), Date.now()]
const order = []
setTimeout(() => order.push('b'), 15000)
setTimeout(() => order.push('a'), 5000)
setTimeout(async () => {
  await pause(20000)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20000)
  const passed = [performance.now() - before, Date.now() - day].map((one) => Math.round(one / 1e3))
  if (order.join('') === 'ab') console.log(...passed)
}, 20000)
"""),
    "shell": (SHELL, """
began=$(date +%s)
sleep 30
sleep 0.5m
passed=$(($(date +%s) - began))
echo $((SECONDS - SECONDS % 10)) $((passed - passed % 10))
"""),
}  # fmt: skip
SURROUNDINGS = {
    "Python": (PYTHON, """
import os, sys
def raises(): raise ValueError
print(sys.argv, sys.orig_argv, sys.flags, __name__, __file__, sorted(sys.modules), len(sys.meta_path))
print([(f.f_code.co_filename, f.f_lineno) for f in (sys._getframe(), sys._getframe(1), sys._getframe(2))])
print(open('/proc/self/cmdline').read(), len(open('/opt/pratique/runner.py').read()))
print(sorted(line.split(' ')[4] for line in open('/proc/self/mountinfo')), os.listdir('/proc/self/fd'))
raises()
"""),
    "JavaScript": (NODE, """
const fs = require('node:fs')
console.log(process.argv, process.execArgv, __filename, new Error('here').stack, Object.keys(globalThis))
console.log(fs.readFileSync('/proc/self/cmdline', 'latin1'))
console.log(fs.readFileSync('/opt/pratique/runner.js').length)
throw new Error('at the end')
"""),
    "shell": (SHELL, r"""
echo "$0 $# $- $LINENO $SHLVL"
tr '\0' ' ' < /proc/$$/cmdline
false || no-such-program
"""),
}  # fmt: skip


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes: a rehearsal takes one of its own."""
    manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), "test-sleeps")
    await manager.start()
    yield manager
    await manager.close()


async def ran(
    manager: SandboxManager, code: str, language: Language, *, rehearsed: bool
) -> tuple[Result, Recorder]:
    """Run or rehearse code."""
    given, watcher = job(code, language, seconds=90), Recorder()
    if rehearsed:
        stage = Stage(language)
        given = replace(given, files=stage.files, stage=stage)
    return await manager.run(given, watcher), watcher


@pytest.mark.sandbox
@asynchronous
@pytest.mark.parametrize("language", SLEEPERS)
async def test_sleeps_are_shortened_and_clocks_agree(manager: SandboxManager, language: str) -> None:
    """A minute passes in far less than one."""
    kind, code = SLEEPERS[language]
    result, watcher = await ran(manager, code, kind, rehearsed=True)
    assert "60 60" == watcher.stdout.decode().strip(), watcher.stderr
    assert 20 > result.duration


@pytest.mark.sandbox
@asynchronous
async def test_a_run_sleeps_as_long_as_it_says(manager: SandboxManager) -> None:
    """By the built-in function of the language."""
    code = "import time\nprint(type(time.sleep).__name__)\ntime.sleep(2)"
    result, watcher = await ran(manager, code, PYTHON, rehearsed=False)
    assert (b"builtin_function_or_method\n", True) == (watcher.stdout, result.duration >= 2)


@pytest.mark.sandbox
@asynchronous
@pytest.mark.parametrize("language", SURROUNDINGS)
async def test_the_code_finds_what_it_finds_in_a_run(manager: SandboxManager, language: str) -> None:
    """Arguments, flags, modules, frames, mounts, descriptors, tracebacks, and the program of the image."""
    kind, code = SURROUNDINGS[language]
    (_, run), (_, rehearsal) = [await ran(manager, code, kind, rehearsed=way) for way in (False, True)]
    assert run.stdout.splitlines() == rehearsal.stdout.splitlines()
    assert run.stderr.splitlines() == rehearsal.stderr.splitlines()
    assert run.stdout


def test_what_goes_beyond_the_bound_is_waited_for() -> None:
    """Half a second may be left out: of two sleeps of half a second, one is waited for."""
    code = "import time\nfor _ in range(2): time.sleep(0.5)\nprint(time.monotonic() > 0)"
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", shortened_sleeps(PYTHON, 0.5) + code], capture_output=True, check=False
    )
    passed = time.monotonic() - began
    assert (b"True\n", True) == (done.stdout, passed >= 0.5), done.stderr
