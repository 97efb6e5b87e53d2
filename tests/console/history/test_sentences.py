"""Events are told as sentences, on one axis."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from console.history.timeline import timeline_lines
from console.safety.text import paragraphs
from engine.common.text import Untrusted
from engine.history.search.incident_timeline import incident_timeline
from engine.history.search.sentences import sentence, steps
from engine.models import Event

BEGIN = datetime(2026, 11, 20, 6, tzinfo=UTC)


def event(seq: int, type: str, data: dict[str, Any], subject: str = "s-1") -> Event:
    """Return an event."""
    return Event(
        seq=seq, at=BEGIN + timedelta(seconds=seq), type=type, subject=subject, actor=Untrusted("ada"),
        data=data, previous="0" * 64, hash="1" * 64,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("type", "data", "expected"),
    [
        ("decision.made", {"outcome": "denied", "reason": "no\x1b[2J"}, "decided: denied, no␛[2J"),
        ("network.attempt", {"host": "a\x1b.example", "allowed": False},
         "the run asked for a host: a␛.example, refused"),
        ("run.effects", {"effects": [{"kind": "write", "target": "/a"}, {"kind": "read", "routine": True}]},
         "the run had effects: write /a"),
        ("run.effects", {"effects": [{"kind": "write", "target": f"/{n}"} for n in range(7)]},
         "the run had effects: write /0, write /1, write /2, write /3, write /4, and 2 more"),
        ("run.surprise", {"surprises": [{"kind": "host", "value": "b.example"}]},
         "the run did what nobody predicted or granted: host b.example"),
        ("run.output", {"size": 1234}, "the run printed: 1,234 bytes"),
        ("run.killed", {"reason": "memory", "evidence": []}, "the run was killed: memory"),
        ("run.started", {}, "the run started"),
        ("never.heard", {}, "never.heard"),
    ],
)  # fmt: skip
def test_an_event_is_a_sentence(type: str, data: dict[str, Any], expected: str) -> None:
    """What happened, and what counts of it; nothing in it steers a terminal."""
    assert expected == sentence(event(1, type, data))


def test_output_in_a_row_is_one_step() -> None:
    """What comes between two outputs is told between them; samples are no steps."""
    types = ("run.output", "run.meters", "run.output", "network.attempt", "run.output")
    events = [event(seq, type, {}) for seq, type in enumerate(types, 1)]
    assert ["run.output", "network.attempt", "run.output"] == [step.type for step in steps(events)]


def test_an_incident_has_one_axis() -> None:
    """Steps of two submissions in the order of time, each with its submission."""
    events = [event(2, "run.output", {"size": 1}, "s-2"), event(1, "run.output", {"size": 1})]
    lines = incident_timeline(events).splitlines()
    assert ["s-1  ada: the run printed: 1 bytes", "s-2  ada: the run printed: 1 bytes"] == [
        line[21:] for line in lines
    ]


def test_the_console_tells_sentences() -> None:
    """The timeline of a case has what happened, who did it, and the time since the step before."""
    events = [event(1, "submission.created", {}), event(3, "decision.made", {"outcome": "denied"})]
    lines = paragraphs(*timeline_lines(events, 100)).plain.splitlines()
    assert ["submitted code", "decided: denied"] == [line[11:40].strip() for line in lines]
    assert "2" in lines[1].rsplit("ada", 1)[1]


def test_details_without_room_come_below() -> None:
    """On a narrow screen what happened stays readable, and what counts of it is on a line of its own."""
    data = {"host": "a-long-name.of-a-host.example", "allowed": True}
    lines = paragraphs(*timeline_lines([event(1, "network.attempt", data)], 74)).plain.splitlines()
    assert ["the run asked for a host", "a-long-name.of-a-host.example, allowed"] == [
        lines[0][11:39].strip(), lines[1].strip()
    ]  # fmt: skip
