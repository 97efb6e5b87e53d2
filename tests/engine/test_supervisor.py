"""Background tasks: nothing that one of them raises ends anything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.history.errors import HistoryError
from engine.models import Check
from engine.sandbox import SandboxUnavailable

ERRORS = [
    OSError(28, "No space left on device"),
    OSError(24, "Too many open files"),
    PermissionError(13, "Permission denied"),
    ConnectionResetError(),
    TimeoutError(),
    HistoryError("the disk is full", hint="df -h"),
    SandboxUnavailable("Docker is gone", "start it"),
    Problem(503, "no", hint="later"),
    ZeroDivisionError("secret 4711"),
    MemoryError(),
    RecursionError(),
    KeyError("x"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    ExceptionGroup("several", [OSError(5, "Input/output error"), ValueError()]),
    BaseExceptionGroup("several", [ValueError()]),
]


@pytest.fixture
async def supervisor() -> AsyncIterator[Supervisor]:
    """Yield a supervisor that starts failed work again at once."""
    supervisor = Supervisor(first=0.001, most=0.002)
    yield supervisor
    await supervisor.close()


def row(supervisor: Supervisor, name: str) -> Check | None:
    """Return the row of a name."""
    return next((one for one in supervisor.checks() if one.name == f"task: {name}"), None)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_work_that_fails_is_started_again_and_told(supervisor: Supervisor, error: Exception) -> None:
    """While it fails its row is red and says what to type; once it succeeds it is green."""
    failing, done, tries = True, asyncio.Event(), 0

    async def work() -> None:
        nonlocal tries
        tries += 1
        if failing:
            raise error
        done.set()

    task = supervisor.start("work", work)
    async with asyncio.timeout(5):
        while tries < 3:
            await asyncio.sleep(0.001)
    told = row(supervisor, "work")
    assert told is not None
    assert (False, True) == (told.ok, bool(told.hint))
    assert "4711" not in told.detail.text
    failing = False
    async with asyncio.timeout(5):
        await done.wait()
        await task
    recovered = row(supervisor, "work")
    assert recovered is not None
    assert (True, "") == (recovered.ok, recovered.hint)


async def test_work_that_goes_on_after_a_failure_has_recovered(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop that failed once and then goes on is green after a moment."""
    monkeypatch.setattr("engine.common.supervisor.SETTLED_SECONDS", 0.01)
    first = True

    async def work() -> None:
        nonlocal first
        if first:
            first = False
            raise OSError(5, "Input/output error")
        await asyncio.get_running_loop().create_future()

    supervisor.start("loop", work)
    async with asyncio.timeout(5):
        while (told := row(supervisor, "loop")) is None or not told.ok:
            await asyncio.sleep(0.005)
    assert "loop" in supervisor.names


async def test_a_failure_leaves_the_other_tasks_alone(supervisor: Supervisor) -> None:
    """One that fails for ever, and one that counts on."""
    count = 0

    async def counting() -> None:
        nonlocal count
        while True:
            count += 1
            await asyncio.sleep(0)

    async def failing() -> None:
        raise ZeroDivisionError

    supervisor.start("failing", failing)
    supervisor.start("counting", counting)
    before = count
    async with asyncio.timeout(5):
        while count < before + 100:
            await asyncio.sleep(0.001)


async def test_closing_ends_all_of_it() -> None:
    """What waits to be started again ends, too, and nothing starts afterwards."""
    supervisor, started = Supervisor(first=60), 0

    async def failing() -> None:
        nonlocal started
        started += 1
        raise ZeroDivisionError

    tasks = [supervisor.start("failing", failing) for _ in range(3)]
    while started < 3:
        await asyncio.sleep(0)
    await supervisor.close()
    late = supervisor.start("late", failing)
    await asyncio.wait([*tasks, late])
    assert (3, ()) == (started, supervisor.names)
