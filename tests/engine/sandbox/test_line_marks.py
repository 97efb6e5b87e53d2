"""Which lines ran: counted in real sandboxes, and parsed as what a hostile guest may send."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.models import KillReason, Language
from engine.models.lines import MOST_PYTHON_HITS, RunLines
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

ENGINE = "test-line-marks"
pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]


class _LinesRecorder(Recorder):
    """A watcher that says which lines ran."""

    @property
    def last(self) -> RunLines:
        [last] = [event.lines for event in self.lines if event.final]
        return last

    @property
    def hits(self) -> dict[int, int]:
        return {mark.line: mark.hits for mark in self.last.marks}


def _with(mark: str, code: str) -> set[int]:
    """Return the numbers of the lines that bear a mark."""
    return {number for number, line in enumerate(code.split("\n"), 1) if line.endswith(mark)}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes that marks the lines of every language."""
    manager = sandbox_manager(SandboxSettings(pool=0, line_marks=tuple(Language)), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


async def _ran(manager: SandboxManager, code: str, language: Language = Language.PYTHON) -> _LinesRecorder:
    watcher = _LinesRecorder()
    await manager.run(job(code, language, seconds=60), watcher)
    return watcher


PYTHON = """\
def called(n):  # ran
    for i in range(n):  # often
        i += 1  # often
    if n < 0:  # ran
        return None
    return n  # ran

def never():  # ran
    return 1

class Thing:  # ran
    def method(self):  # ran
        raise KeyError(1)  # raised

called(5000)  # ran
try:  # ran
    Thing().method()  # ran
except KeyError:  # ran
    text = (  # ran
        "two lines"  # ran
    )"""
JAVASCRIPT = """\
function called(n) { // ran
  if (n < 0) { // ran
    return 0;
  }
  return n; // ran
}
function never() {
  return 1;
}
for (let i = 0; i < 12; i++) { // ran
  called(i); // twelve
}
setTimeout(() => { // ran
  called(1); // ran
}, 1200); // ran"""
SHELL = """\
#!/bin/bash
called() {
  echo "$1" # twice
}
for i in 1 2; do # twice
  called $i # twice
done
if false; then # ran
  echo never
fi
(echo inner) # ran"""


async def test_python_counts_lines_up_to_the_limit_and_what_raised(manager: SandboxManager) -> None:
    """Lines that ran are marked and no others; one that ran often has the limit; one raised once."""
    watcher = await _ran(manager, PYTHON)
    marked = {number: mark for number in ("# ran", "# often", "# raised") for mark in [_with(number, PYTHON)]}
    assert set().union(*marked.values()) == set(watcher.hits)
    assert {MOST_PYTHON_HITS} == {watcher.hits[line] for line in marked["# often"]}
    assert marked["# raised"] == {mark.line for mark in watcher.last.marks if mark.raised}
    assert not watcher.last.partial


async def test_javascript_counts_every_hit(manager: SandboxManager) -> None:
    """Lines that ran have their exact number, also behind a timer; a branch not taken has none."""
    watcher = await _ran(manager, JAVASCRIPT, Language.JAVASCRIPT)
    assert _with("// ran", JAVASCRIPT) | _with("// twelve", JAVASCRIPT) == set(watcher.hits)
    assert {12} == {watcher.hits[line] for line in _with("// twelve", JAVASCRIPT)}


async def test_shell_counts_its_trace(manager: SandboxManager) -> None:
    """Every command of the trace is counted at its line, and the output is unchanged."""
    watcher = await _ran(manager, SHELL, Language.SHELL)
    assert _with("# ran", SHELL) | _with("# twice", SHELL) == set(watcher.hits)
    assert {2} == {watcher.hits[line] for line in _with("# twice", SHELL)}
    assert b"1\n2\ninner\n" == b"".join(chunk.data for chunk in watcher.chunks)


@pytest.mark.parametrize(
    "end", ["import os; os._exit(3)", "while True: pass", "import os; os.kill(os.getpid(), 9)"]
)
async def test_marks_survive_every_end(manager: SandboxManager, end: str) -> None:
    """Lines are marked after `_exit`, a time limit and a signal that nobody can catch."""
    watcher = _LinesRecorder()
    await manager.run(job(f"x = 1\nprint(x)\n{end}\nx = 2", seconds=2), watcher)
    assert {1, 2, 3} == set(watcher.hits)


async def test_a_running_program_tells_where_it_is(manager: SandboxManager) -> None:
    """While it runs, its lines, their time and its stack are told; the time includes what it waits."""
    watcher = await _ran(manager, "import time\ndef wait():\n    time.sleep(2.5)\nwait()")
    told = [event.lines for event in watcher.lines if not event.final][-1]
    assert 'File "main.py", line 3 in wait' in told.stack.text
    assert told.partial
    spent = {mark.line: mark.milliseconds for mark in watcher.last.marks}
    assert max(spent.values()) == spent[3]


async def test_a_program_in_the_place_of_another_is_not_ended(manager: SandboxManager) -> None:
    """Asking for the stack does nothing to a program that replaced the interpreter."""
    watcher = _LinesRecorder()
    program = "$t = time; 1 while time < $t + 3; print 'end'"
    code = f"import os\nos.execv('/usr/bin/perl', ['perl', '-e', {program!r}])"
    result = await manager.run(job(code, seconds=30), watcher)
    assert (0, KillReason.NONE) == (result.exit_code, result.kill_reason)
    assert b"end" == b"".join(chunk.data for chunk in watcher.chunks)


@pytest.mark.parametrize(
    "attack",
    [
        "import sys\nsys.monitoring.set_events(4, 0)\nsys.monitoring.free_tool_id(4)",
        "import os\nos.write(900, b'\\0' * 3_000_000)",
        "import os\nos.closerange(3, 1024)",
        "import signal\nsignal.signal(signal.SIGURG, signal.SIG_IGN)",
        "import gc\n[one.release() for one in gc.get_objects() if type(one) is memoryview]",
        "import main",
        "exec(compile('\\n' * 9000 + 'x = 1', 'main.py', 'exec'))",
    ],
)
async def test_no_attack_on_the_marks_changes_the_end_of_a_run(manager: SandboxManager, attack: str) -> None:
    """Whatever code does to what marks its lines, its output and its end are those that it had."""
    watcher = _LinesRecorder()
    tried = f"try:\n    exec({attack!r})\nexcept Exception:\n    pass"
    code = f"{tried}\nimport os\nos.write(1, b'end')"
    result = await manager.run(job(code, seconds=30), watcher)
    assert (0, KillReason.NONE) == (result.exit_code, result.kill_reason)
    assert b"end" == b"".join(chunk.data for chunk in watcher.chunks)


THREADS = """\
import threading, time
end, count = time.monotonic() + 4, 0
while time.monotonic() < end:
    thread = threading.Thread(target=sum, args=(range(2000),))
    thread.start()
    thread.join()
    count += 1
print("ended")
"""


async def test_threads_that_come_and_go_end_nothing(manager: SandboxManager) -> None:
    """A program with threads is not asked for its stack, which would end it by a fault."""
    watcher = _LinesRecorder()
    result = await manager.run(job(THREADS, Language.PYTHON, seconds=60), watcher)
    assert (0, KillReason.NONE) == (result.exit_code, result.kill_reason)
    assert watcher.hits[5] == MOST_PYTHON_HITS
