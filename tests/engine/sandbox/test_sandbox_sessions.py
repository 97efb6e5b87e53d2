"""Sandboxes that stay, in real gVisor: state, rich results, tool calls, interrupts, and whose they are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio

from engine.common.text import Untrusted
from engine.models import KillReason, Language, Operation, OperationKind, Result
from engine.sandbox import Job, SandboxUnavailable
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
IMAGES = {
    Language.PYTHON: "pratique/notebook",
    Language.JAVASCRIPT: "pratique/node",
    Language.SHELL: "pratique/shell",
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes."""
    manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=3), "test-sessions")
    await manager.start()
    try:
        yield manager
    finally:
        await manager.close()


def order(code: str, language: Language = Language.PYTHON, **more: Any) -> Job:
    """Return a job in the one session of its language."""
    principal, operation = more.pop("principal", "alice"), more.pop("operation", None)
    plain = job(code, language, more.pop("files", None), image=IMAGES[language], **more)
    return replace(plain, session=f"b-{language}", principal=principal, operation=operation)


async def run(manager: SandboxManager, *args: Any, **more: Any) -> tuple[Result, Recorder]:
    """Run an order to its end."""
    watcher = Recorder()
    manager.keeper = watcher
    async with asyncio.timeout(90):
        return await manager.run(order(*args, **more), watcher), watcher


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        (Language.PYTHON, "x = 20", "print(x + 1)"),
        (Language.JAVASCRIPT, "const x = 20", "console.log(x + 1)"),
        (Language.SHELL, "x=20", "echo $((x + 1))"),
    ],
)
async def test_state_stays_and_so_does_the_sandbox(
    manager: SandboxManager, language: Language, before: str, after: str
) -> None:
    """A second execution finds what the first left, in the same container."""
    _, first = await run(manager, before, language)
    _, second = await run(manager, after, language)
    assert b"21\n" == second.stdout, second.stderr
    assert "sandbox.acquired" in second.types
    assert dict(first.events)["run.started"]["sandbox"] == dict(second.events)["run.started"]["sandbox"]


_SHOWS = """
import time
display({'text/html': '<b>first</b>'}, raw=True)
print('x' * 70000, flush=True)
while not stopped: time.sleep(0.05)
"""


async def test_what_is_shown_comes_while_it_runs(manager: SandboxManager) -> None:
    """It is there before the execution is over, apart from the output, and once in the result."""
    await run(manager, "stopped = False")
    watcher = Recorder()
    asked = order(_SHOWS, seconds=60)
    running = asyncio.create_task(manager.run(asked, watcher))
    shown = await watcher.until_happened("run.display")
    assert ("text/html", "<b>first</b>") == (shown["mime"], shown["text"])
    assert not running.done()
    await watcher.until_said(b"x" * 70000)
    await manager.stop(asked.run, "ada")
    result = await running
    assert ["<b>first</b>"] == [one.text.text for one in result.displays]
    assert b"x" * 70000 + b"\n" == watcher.stdout


async def test_rich_results_are_data_never_markup(manager: SandboxManager) -> None:
    """A data frame is a table, a plot a kept picture, HTML its own text; the last value is told."""
    code = (
        "import pandas as pd, matplotlib.pyplot as plt\n"
        "from IPython.display import HTML, display\n"
        "display(pd.DataFrame({'a': [1, 2]})); display(HTML('<script>x</script>'))\n"
        "plt.plot([1, 2]); plt.savefig('plot.png'); plt.show()\n6 * 7"
    )
    result, watcher = await run(manager, code, seconds=60)
    shown = {display.mime: display for display in result.displays}
    assert [["0", "1"], ["1", "2"]] == json.loads(shown["table"].text.text)["rows"]
    assert "<script>x</script>" == shown["text/html"].text.text
    assert ("42", True) == (result.displays[-1].text.text, result.displays[-1].final)
    kept = [name for name, content in watcher.files.items() if content.startswith(b"\x89PNG")]
    assert ["display-4.png", "plot.png"] == sorted(kept)
    assert ["plot.png"] == [artifact.name.text for artifact in result.artifacts]


@pytest.mark.parametrize(
    ("language", "endless"), [(Language.PYTHON, "while True: pass"), (Language.JAVASCRIPT, "for (;;);")]
)
async def test_a_deadline_interrupts_and_the_state_stays(
    manager: SandboxManager, language: Language, endless: str
) -> None:
    """What runs too long is interrupted; the sandbox lives on with its state."""
    await run(manager, "kept = 1", language)
    late, _ = await run(manager, endless, language, seconds=1)
    assert KillReason.TIMEOUT is late.kill_reason
    assert manager.sessions.has_state(f"b-{language}")
    assert "1" == (await run(manager, "kept", language))[0].displays[-1].text.text


async def test_an_operator_interrupts(manager: SandboxManager) -> None:
    """Stopping an execution interrupts it, by name, and the state stays."""
    watcher = Recorder()
    asked = order("kept = 2\nprint('up')\nwhile True: pass")
    running = asyncio.create_task(manager.run(asked, watcher))
    await watcher.until_said(b"up")
    await manager.stop(asked.run, "bob")
    result = await running
    assert KillReason.OPERATOR is result.kill_reason
    assert "ended by the engine: operator, requested by bob" in result.evidence
    assert "2" == (await run(manager, "kept"))[0].displays[-1].text.text


async def test_what_does_not_obey_is_ended_with_its_state(manager: SandboxManager) -> None:
    """An execution that ignores the interrupt is killed, and the result says that the state is lost."""
    code = (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "while True:\n    try:\n        while True: pass\n    except KeyboardInterrupt: pass"
    )
    result, _ = await run(manager, code, seconds=1)
    assert KillReason.TIMEOUT is result.kill_reason
    assert "the session's state is lost" in result.evidence
    assert not manager.sessions.has_state("b-python")


async def test_nothing_runs_between_executions(manager: SandboxManager) -> None:
    """A thread left behind stands still from one execution to the next: it sees the time jump."""
    thread = (
        "import threading, time\njump = 0\n"
        "def watch():\n    global jump\n    last = time.monotonic()\n"
        "    while True:\n        time.sleep(.001); print('tick')\n"
        "        now = time.monotonic(); jump = max(jump, now - last); last = now\n"
        "threading.Thread(target=watch, daemon=True).start()"
    )
    await run(manager, thread)
    await asyncio.sleep(2)
    result, _ = await run(manager, "time.sleep(.1); jump > 1.5")
    assert "True" == result.displays[-1].text.text
    manager.sessions.end("b-python")


async def test_tool_calls_on_files(manager: SandboxManager) -> None:
    """Files are written, listed, read and removed without code; what is not there says so."""

    async def call(kind: OperationKind, path: str, **more: Any) -> tuple[Result, Recorder]:
        return await run(
            manager, "", Language.SHELL, operation=Operation(kind=kind, path=Untrusted(path)), **more
        )

    await call(OperationKind.WRITE, "a/b.txt", files={"a/b.txt": b"old"})
    await call(OperationKind.WRITE, "a/b.txt", files={"a/b.txt": b"new\0"})
    assert b"new\0" == (await call(OperationKind.READ, "a/b.txt"))[1].stdout
    (entry,) = json.loads((await call(OperationKind.LIST, "a"))[1].stdout)
    assert ("b.txt", "file", 4) == (entry["name"], entry["kind"], entry["size"])
    assert 0 == (await call(OperationKind.REMOVE, "a/b.txt"))[0].exit_code
    missing, said = await call(OperationKind.READ, "a/b.txt")
    assert (1, b"No such file or directory\n") == (missing.exit_code, said.stderr)


async def test_links_and_pipes_are_not_read(manager: SandboxManager) -> None:
    """A link out of the workspace, a pipe and a device are not read for the caller."""
    await run(manager, "ln -s /etc/passwd l; mkfifo p; ln -s /dev/zero z", Language.SHELL)
    for path in ("l", "p", "z"):
        read = Operation(kind=OperationKind.READ, path=Untrusted(path))
        result, watcher = await run(manager, "", Language.SHELL, operation=read)
        assert (1, b"") == (result.exit_code, watcher.stdout), path


async def test_a_read_ends_at_the_limit(manager: SandboxManager) -> None:
    """A file larger than the output limit comes as far as that, and is said to be cut."""
    await run(manager, "head -c 100000 /dev/zero > big", Language.SHELL)
    read = Operation(kind=OperationKind.READ, path=Untrusted("big"))
    result, watcher = await run(manager, "", Language.SHELL, operation=read, output_kb=8)
    assert (8192, True) == (len(watcher.stdout), result.truncated)
    assert manager.sessions.has_state("b-shell")


async def test_no_other_principal_gets_in(manager: SandboxManager) -> None:
    """Even past the service a sandbox refuses everybody but its first principal."""
    await run(manager, "x=secret", Language.SHELL)
    with pytest.raises(SandboxUnavailable):
        await run(manager, "echo $x", Language.SHELL, principal="mallory")


async def test_a_dead_interpreter_is_replaced(manager: SandboxManager) -> None:
    """An execution that ends its interpreter says so; the next one starts with nothing."""
    result, _ = await run(manager, "x=1; exit 7", Language.SHELL)
    assert 7 == result.exit_code
    assert "the session's state is lost" in result.evidence
    _, watcher = await run(manager, "echo [$x]", Language.SHELL)
    assert b"[]\n" == watcher.stdout


async def test_a_guest_never_sees_the_next_order(manager: SandboxManager) -> None:
    """A thread that listens at the first process's own input and memory hears nothing of what comes next."""
    spy = (
        "import os, threading\nheard = []\n"
        "def listen():\n"
        "    try:\n"
        "        door = os.open('/proc/1/fd/0', os.O_RDONLY)\n"
        "        while True: heard.append(os.read(door, 65536))\n"
        "    except OSError as error: heard.append(error)\n"
        "def peek():\n"
        "    try: open('/proc/1/mem', 'rb'); heard.append('memory')\n"
        "    except OSError: pass\n"
        "peek()\n"
        "for _ in range(8): threading.Thread(target=listen, daemon=True).start()"
    )
    await run(manager, spy)
    for _ in range(3):
        result, watcher = await run(
            manager, "print([part for part in heard if isinstance(part, (bytes, str))])"
        )
        assert (b"[]\n", 0) == (watcher.stdout, result.exit_code)
    manager.sessions.end("b-python")


async def test_forged_words_change_no_fact_of_the_engine(manager: SandboxManager) -> None:
    """A guest that writes frames to every descriptor gets an envelope with the engine's own figures."""
    code = (
        "import os, time\nprint('\\0' + '0' * 32 + ' 0 9 1 1 1')\n"
        "for fd in range(3, 20):\n"
        "    try: os.write(fd, b'0 2\\n[]')\n"
        "    except OSError: pass\n"
        "time.sleep(1)"
    )
    result, _ = await run(manager, code)
    assert result.kill_reason in {KillReason.NONE, KillReason.SANDBOX_FAILED}
    assert not any("supervisor" in said or "no space" in said for said in result.evidence)
    manager.sessions.end("b-python")


async def test_memory_ends_it_and_says_so(manager: SandboxManager) -> None:
    """An execution over the memory limit is killed for that, and a later failure is not blamed on it."""
    result, _ = await run(
        manager, "x = bytearray(800 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1", seconds=60
    )
    assert KillReason.MEMORY is result.kill_reason, result.evidence
    later, _ = await run(manager, "1 / 0")
    assert (1, KillReason.NONE) == (later.exit_code, later.kill_reason)


async def test_a_kernel_that_waits_ready_is_given_to_one_session_alone() -> None:
    """The first session to come gets it at once, another starts its own; its packages lie under its room."""
    house = sandbox_manager(SandboxSettings(pool=0, session_pool=1), "test-spare-kernel")
    await house.start()
    try:
        async with asyncio.timeout(120):
            while not any(stock.ready for stock in house.pool_status):
                await asyncio.sleep(0.1)
        first, second = Recorder(), Recorder()
        await house.run(order("x = 1", seconds=60), first)
        taken = dict(first.events)["sandbox.acquired"]["sandbox"]
        assert house.sessions.package_volume(order("")).startswith("spare-")
        await house.run(order("print(x + 1)", seconds=60), second)
        assert (b"2\n", taken) == (second.stdout, dict(second.events)["sandbox.acquired"]["sandbox"])
        other, asked = Recorder(), order("print('x' in globals())", seconds=60, principal="bob")
        await house.run(replace(asked, session="b-other"), other)
        assert b"False\n" == other.stdout
        assert taken not in {data.get("sandbox") for _, data in other.events}
    finally:
        await house.close()
    assert [] == containers_of("test-spare-kernel")


_COUNTS = """
import itertools, threading, time
ticks = itertools.count()
def tick():
    while True: next(ticks); print('tick', flush=True); time.sleep(.005)
threading.Thread(target=tick, daemon=True).start()
"""


async def ticks(manager: SandboxManager) -> int:
    """Return how often the thread of the session has run."""
    result, watcher = await run(manager, "next(ticks)")
    assert watcher.stdout.count(b"tick") < 100  # what was printed before belongs to no execution
    return int(result.displays[-1].text.text)


async def test_processes_go_on_while_a_port_of_the_session_is_shown(manager: SandboxManager) -> None:
    """Between executions, too; once it is closed they stand still, and the session is as usable as before."""
    await run(manager, _COUNTS)
    port = await manager.guest_port("b-python", 8000, "b-python")
    began = await ticks(manager)
    await asyncio.sleep(2)
    shown = await ticks(manager) - began
    await port.close()
    before = await ticks(manager)
    await asyncio.sleep(2)
    still = await ticks(manager) - before
    assert shown > 100
    assert still < 100
    manager.sessions.end("b-python")


async def test_a_port_of_a_session_that_has_run_nothing_is_not_shown(manager: SandboxManager) -> None:
    """There is no sandbox yet."""
    with pytest.raises(SandboxUnavailable, match="nothing has run in it"):
        await manager.guest_port("b-none", 8000, "b-none")
