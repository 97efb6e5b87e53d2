"""How long a run has the processor before the next sandbox is made, by a clock that the test sets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from engine.sandbox.run.ready.head_start import HeadStarts


class SetLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is what the test says."""

    now = 0.0

    def time(self) -> float:
        """Return the time that was set."""
        return self.now

    def at(self, now: float, *calls: tuple[str, str]) -> None:
        """Set the time, run what is due, and make calls of the head starts."""
        self.now = now
        for name, sandbox in calls:
            self.call_soon(getattr(self.starts, name), sandbox)
        self.call_soon(self.stop)
        self.run_forever()

    def __init__(self) -> None:
        super().__init__()
        self.over = list[float]()
        self.runs_wait = False
        self.starts = HeadStarts(lambda: self.over.append(self.now), lambda: self.runs_wait)


@pytest.fixture
def loop() -> Iterator[SetLoop]:
    """Return a loop that is closed after the test."""
    loop = SetLoop()
    yield loop
    loop.close()


def test_a_long_run_has_the_processor_for_half_a_second(loop: SetLoop) -> None:
    """Not longer, although it goes on."""
    loop.at(0, ("begin", "one"))
    loop.at(0.49)
    loop.at(0.51)
    loop.at(9)
    assert [0.51] == loop.over


def test_after_a_short_run_what_it_wrote_is_shown_first(loop: SetLoop) -> None:
    """A tenth of a second, then the next sandbox is made, once."""
    loop.at(0, ("begin", "one"))
    loop.at(0.02, ("ran", "one"))
    loop.at(0.11)
    loop.at(0.13)
    loop.at(9, ("ran", "one"))
    assert [0.13] == loop.over


def test_the_end_of_a_run_does_not_make_its_head_start_longer(loop: SetLoop) -> None:
    """One that ends just before the half second is over."""
    loop.at(0, ("begin", "one"))
    loop.at(0.49, ("ran", "one"))
    loop.at(0.51)
    assert [0.51] == loop.over


def test_no_run_puts_off_the_end_of_the_head_start_of_another(loop: SetLoop) -> None:
    """However many sandboxes are taken one after the other."""
    for tenth in range(10):
        loop.at(tenth / 10, ("begin", f"run {tenth}"))
    assert [0.5, 0.6, 0.7, 0.8, 0.9] == loop.over


def test_the_end_of_a_run_that_found_no_sandbox_ready_says_nothing(loop: SetLoop) -> None:
    """Its sandbox was made for it."""
    loop.at(0, ("ran", "cold"))
    loop.at(9)
    assert [] == loop.over


def test_while_runs_wait_the_next_sandbox_is_made_at_once(loop: SetLoop) -> None:
    """Not only once this run is over: runs a second are sandboxes made a second."""
    loop.runs_wait = True
    loop.at(1, ("begin", "one"))
    loop.at(9, ("ran", "one"))
    assert [1] == loop.over
