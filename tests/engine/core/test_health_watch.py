"""Faults turn Health red with what to type; what fails twice in a row and what recovers is recorded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.common.text import Untrusted
from engine.core.health.certificate import SOON, certificate_check
from engine.core.health.clock import ClockCheck
from engine.core.health.watch import HealthWatch, memory_check
from engine.models import Check, Event, Health
from engine.notifications.notice import about_alert
from tests.tls import self_signed


class Clock:
    """A clock and the time that goes by, which tests set."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.steady = 10.0


@pytest.mark.parametrize("jump", [-3600.0, 6.0, 86400.0])
def test_a_clock_that_was_set_is_red(jump: float) -> None:
    """Forward or back, and green again once it is set right; time that goes by is no jump."""
    clock = Clock()
    check = ClockCheck(lambda: clock.now, lambda: clock.steady)
    clock.now, clock.steady = clock.now + 1e6, clock.steady + 1e6
    assert check.check().ok
    clock.now += jump
    assert (False, True) == (check.check().ok, "timedatectl" in check.check().hint)
    clock.now -= jump
    assert check.check().ok


def test_a_certificate_that_ends_is_red(tmp_path: Path) -> None:
    """OK before its last fourteen days; then, once it ended, and where it is none, what to type."""
    path, _ = self_signed(tmp_path)
    now = datetime.now(UTC)
    states = [certificate_check(path, at) for at in (now - SOON, now, now + timedelta(days=2))]
    assert [True, False, False] == [state.ok for state in states]
    assert "ended" in states[2].detail.text
    path.write_text("nothing", encoding="utf-8")
    assert not certificate_check(path).ok
    assert all(state.hint for state in (states[1], states[2], certificate_check(path)))


class Recorder:
    """Keeps what is recorded."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []

    async def record_soon(self, type: str, *, data: dict[str, Any]) -> None:
        """Keep an event."""
        self.events.append((type, data["check"]))


async def test_what_fails_twice_is_recorded_once_and_its_recovery_too() -> None:
    """One failure is none; two in a row are one event; a row that is gone has recovered."""
    recorder = Recorder()
    states: list[list[str]] = [[], ["disk"], [], ["disk"], ["disk"], ["disk"], []]

    async def health() -> Health:
        names = states.pop(0)
        return Health(checks=tuple(Check(name=one, ok=False, detail=Untrusted("x")) for one in names))

    watch = HealthWatch(recorder, None, health)  # type: ignore[arg-type]  # it counts no runs here
    seen = []
    for _ in range(7):
        await watch.look()
        seen.append(len(recorder.events))
    assert [("health.failed", "disk"), ("health.recovered", "disk")] == recorder.events
    assert [0, 0, 0, 0, 1, 1, 2] == seen


class Reader:
    """Answers with figures."""

    def __init__(self, killed: int) -> None:
        self._killed = killed

    async def memory_kills(self, since: datetime) -> tuple[int, int]:
        """Return how many of a hundred runs were killed for memory."""
        return 100, self._killed


async def test_more_than_two_in_a_hundred_killed_for_memory_is_red() -> None:
    """The row says how many, and the search that lists them."""
    bad, good = await memory_check(Reader(3)), await memory_check(Reader(2))  # type: ignore[arg-type]
    assert (False, True) == (bad.ok, good.ok)
    assert "kill:memory since:1d" in bad.hint


def test_an_alert_says_which_check_fails_and_what_to_type() -> None:
    """Control characters of a detail reach no receiver."""
    data = {"check": "disk", "detail": "0.1 GiB\x1b[2J free", "hint": "df -h /"}
    event = Event(
        seq=1, at=datetime.now(UTC), type="health.failed", subject="", actor=Untrusted("engine"), data=data,
        previous="0" * 64, hash="1" * 64,
    )  # fmt: skip
    notice = about_alert(event)
    assert "disk: 0.1 GiB" in notice.why
    assert ("df -h /", False) == (notice.command, "\x1b" in notice.text)
