"""Everything that goes on in the background: named, started again after a failure, and told in Health.

No task of the engine is created elsewhere, but for those that a function waits for itself. An exception of a
task ends neither the engine nor another task: it is logged, shown, and the work is started again, at once
at first and at most `MOST_SECONDS` later from then on, for as long as it fails.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engine.common import log
from engine.common.text import Untrusted, visible
from engine.models.health import Check

FIRST_SECONDS = 0.1
"""The pause before work that failed is started again; each further one is twice as long."""
MOST_SECONDS = 5.0
"""The longest pause: once its cause is gone a failure is over within this time."""
SETTLED_SECONDS = 1.0
"""Work that has gone on for so long after a failure has recovered."""
SAME_SECONDS = 60.0
"""A failure that repeats is logged again after so many seconds."""
ENGINE_LOG = "Look at the engine log, then type: pratique doctor"

Work = Callable[[], Awaitable[None]]


@dataclass
class TaskState:
    """What is known about the tasks of one name."""

    name: str
    hint: str
    running: int = 0
    failing: set[asyncio.Task[None]] = field(default_factory=set)
    """Those whose last attempt failed."""
    error: str = ""
    """The last error, also after a recovery."""
    error_hint: str = ""
    at: datetime | None = None
    failures: int = 0
    logged: float = -SAME_SECONDS

    def fail(self, task: asyncio.Task[None], error: Exception, where: str) -> None:
        """Note a failure, and log it unless the same one was logged a moment ago."""
        self.failing.add(task)
        text = describe(error)
        now = time.monotonic()
        if text != self.error or now - self.logged > SAME_SECONDS:
            self.logged = now
            log.warning("task.failed", task=where, reason=text)
            if not _is_expected(error):
                log.internal_error(error, where)
        self.error, self.error_hint = text, str(getattr(error, "hint", "")) or self.hint
        self.at = datetime.now(UTC)
        self.failures += 1

    def check(self) -> Check:
        """Return its row of Health."""
        times = f"{self.failures} times, " if self.failures > 1 else ""
        when = f"{times}last at {self.at:%H:%M:%S} UTC" if self.at else ""
        if self.failing:
            detail, hint = f"failed, {when}, and is tried again: {self.error}", self.error_hint
        else:
            detail, hint = f"recovered; failed {when}: {self.error}", ""
        return Check(name=f"task: {self.name}", ok=not self.failing, detail=Untrusted(detail), hint=hint)


class Supervisor:
    """Starts background tasks, starts them again after a failure, and reports both."""

    def __init__(self, first: float = FIRST_SECONDS, most: float = MOST_SECONDS) -> None:
        self._first, self._most = first, most
        self._states: dict[str, TaskState] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def start(self, name: str, work: Work, *, hint: str = ENGINE_LOG) -> asyncio.Task[None]:
        """Do work until it returns, from its beginning again after each failure."""
        state = self._states.setdefault(name, TaskState(name, hint))
        task = asyncio.create_task(self._supervise(state, work), name=name)
        self._tasks.add(task)
        state.running += 1
        task.add_done_callback(lambda task: self._ended(state, task))
        if self._closed:
            task.cancel()
        return task

    def _ended(self, state: TaskState, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        state.running -= 1
        state.failing.discard(task)

    async def _supervise(self, state: TaskState, work: Work) -> None:
        """Do work until it returns. CancelledError is the only way out of a failure."""
        task, pause = asyncio.current_task(), self._first
        assert task is not None  # noqa: S101  it runs in one
        while True:
            settling = asyncio.get_running_loop().call_later(SETTLED_SECONDS, state.failing.discard, task)
            started = time.monotonic()
            try:
                await work()
            except Exception as error:
                state.fail(task, error, state.name)
            else:
                state.failing.discard(task)
                return
            finally:
                settling.cancel()
            if time.monotonic() - started > self._most:
                pause = self._first
            await asyncio.sleep(pause)
            pause = min(self._most, pause * 2)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tasks that go on."""
        return tuple(name for name, state in self._states.items() if state.running)

    def checks(self, name: str = "background tasks") -> tuple[Check, ...]:
        """Return a row of Health about all tasks, and one about each name that has failed."""
        failed = tuple(state.check() for state in self._states.values() if state.failures)
        going = [f"{one} ({state.running})" if state.running > 1 else one
                 for one, state in self._states.items() if state.running]  # fmt: skip
        return (Check(name=name, ok=True, detail=Untrusted(", ".join(going) or "none")), *failed)

    async def close(self, within: float = MOST_SECONDS) -> None:
        """Cancel every task and wait for their ends, for so many seconds at most."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within)


def describe(error: BaseException) -> str:
    """Return what a failure was, for Health: the message of an expected error, else its type alone."""
    if isinstance(error, BaseExceptionGroup):
        return describe(error.exceptions[0])
    if not _is_expected(error):
        return f"unexpected error {type(error).__name__}"
    title = str(getattr(error, "title", "")) or str(error)
    return visible(title)[:300] or type(error).__name__


def _is_expected(error: BaseException) -> bool:
    """Whether the message of an error is one that this code wrote for people, or the system's."""
    if isinstance(error, BaseExceptionGroup):
        return all(_is_expected(one) for one in error.exceptions)
    return isinstance(error, OSError | TimeoutError) or hasattr(error, "hint")
