"""Deadlines by elapsed time: jumps of the clock, suspend, and many at once."""

from __future__ import annotations

import asyncio

import pytest

from engine.core.queue import deadlines
from engine.core.queue.deadlines import Deadlines


class Clock:
    """A clock that a test moves, as a suspended machine does."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._read = asyncio.Event()

    def __call__(self) -> float:
        """Return the seconds since boot."""
        self._read.set()
        return self.now

    async def looked_at(self) -> None:
        """Wait until it is read; what passed by then was reported in the same step."""
        self._read.clear()
        await self._read.wait()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return a clock, which is looked at often."""
    monkeypatch.setattr(deadlines, "LOOK_SECONDS", 0.005)
    return Clock()


async def passed(clock: Clock, steps: list[tuple[str, float]], sleeps: float) -> list[str]:
    """Set deadlines, let the machine sleep for some seconds, and return what has passed."""
    found: list[str] = []
    watched = Deadlines[str](found.append, clock)
    for item, seconds in steps:
        watched.set(item, seconds)
    running = asyncio.create_task(watched.run())
    await clock.looked_at()
    clock.now += sleeps
    await clock.looked_at()
    running.cancel()
    return found


@pytest.mark.parametrize(
    ("sleeps", "expected"),
    [
        (0.0, []),
        (59.0, []),
        (60.0, ["a"]),
        (3600.0, ["a", "b"]),
        (86400.0 * 365, ["a", "b"]),
    ],
)
async def test_time_that_the_machine_slept_counts(clock: Clock, sleeps: float, expected: list[str]) -> None:
    """A deadline that passed during a suspend is reported soon after it, the earliest first."""
    assert expected == await passed(clock, [("b", 600.0), ("a", 60.0)], sleeps)


async def test_a_thousand_deadlines_pass_once_each(clock: Clock) -> None:
    """All that passed during one suspend are reported, each once."""
    steps = [(f"s-{number}", float(number)) for number in range(1, 1001)]
    assert [name for name, _ in steps] == await passed(clock, steps, 2000.0)


async def test_one_that_was_set_again_or_cancelled_is_not_reported(clock: Clock) -> None:
    """The last setting of an item counts; without one it has no deadline."""
    found: list[str] = []
    watched = Deadlines[str](found.append, clock)
    watched.set("moved", 1.0)
    watched.set("moved", 1000.0)
    watched.set("cancelled", 1.0)
    watched.cancel("cancelled")
    running = asyncio.create_task(watched.run())
    clock.now += 10
    await clock.looked_at()
    running.cancel()
    assert [] == found
    assert 990.0 == watched.left("moved")
    assert watched.left("cancelled") is None
