"""The row of Health about the listener of effects."""

from __future__ import annotations

from engine.models.observed import Observation, ObservationStatus
from engine.sandbox.drivers.docker.trace_health import MEMORY_SECONDS, START_SECONDS, TraceRecord


def test_a_listener_that_answers_is_green() -> None:
    """Also while it is being started."""
    record = TraceRecord()
    assert (True, True) == (record.check(ready=True).ok, record.check(ready=False).ok)


def test_one_that_does_not_start_is_red() -> None:
    """After the time that a start takes."""
    record = TraceRecord()
    record.began -= START_SECONDS + 1
    assert not record.check(ready=False).ok
    assert "pratique" in record.check(ready=False).hint


def test_a_lost_listener_is_red_for_a_while() -> None:
    """Dead and hung ones are named, with what to type; later the row is green again."""
    record = TraceRecord()
    record.lost("the listener of effects ended")
    check = record.check(ready=True)
    assert (False, True) == (check.ok, "ended" in check.detail.text)
    assert "pratique effects" in check.hint
    record._losses[0] = (record._losses[0][0] - MEMORY_SECONDS - 1, "")
    assert record.check(ready=True).ok


def test_dropped_events_are_red() -> None:
    """They are counted, with their runs."""
    record = TraceRecord()
    record.observed(Observation(status=ObservationStatus.COMPLETE))
    assert record.check(ready=True).ok
    for dropped in (1, 1000):
        record.observed(Observation(status=ObservationStatus.INCOMPLETE, dropped=dropped))
    assert "1,001 events of 2 runs dropped" in record.check(ready=True).detail.text
