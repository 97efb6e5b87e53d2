"""The client without an event loop: what the other one does, method by method."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import signal
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.client.sync_client import SyncClient
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Status
from tests.engine.server import sync_stub
from tests.engine_process import EngineProcess


def test_every_question_can_be_asked_without_a_loop(engine: EngineProcess) -> None:
    """No method of the asynchronous client is missing, and no other one is made up."""
    with SyncClient(engine.socket) as client:
        for name, method in inspect.getmembers(Client, inspect.iscoroutinefunction):
            if not name.startswith("_"):
                assert callable(getattr(client, name)), method
        with pytest.raises(AttributeError):
            client.no_such_thing()  # type: ignore[attr-defined]


def test_the_types_are_those_of_the_asynchronous_client() -> None:
    """The stub is what `python -m tests.engine.server.sync_stub` writes."""
    assert sync_stub.classes(sync_stub.stub()) == sync_stub.classes(sync_stub.STUB.read_text())


def test_the_main_job_without_a_loop(engine: EngineProcess) -> None:
    """Submit, follow the events, deny, and be told no: in plain calls."""
    with SyncClient(engine.socket, "plain") as client:
        draft = Draft(code=Untrusted("print(77)"), language=Language.PYTHON)
        submission = client.submit(draft).submission
        events = client.events(0)
        assert any(event.subject == submission.id for event in events)
        events.close()
        case = client.decide(submission.id, DecisionOutcome.DENIED, submission.digest, "no")
        assert Status.DENIED is case.status
        with pytest.raises(Problem, match="no submission"):
            client.case("s-0")


async def test_events_are_followed_over_the_end_of_an_engine(home: Path) -> None:
    """Kill the engine in the middle and start another: its reader goes on, and sees each event once."""
    process = EngineProcess(home)
    process.start()
    try:
        async with (
            asyncio.timeout(120),
            process.client() as client,
            contextlib.aclosing(client.follow(0)) as events,
        ):
            seen = [(await anext(events)).seq]
            process.end(signal.SIGKILL)
            process.start()
            case = await client.submit(Draft(code=Untrusted("print(78)"), language=Language.PYTHON))
            async for event in events:
                seen.append(event.seq)
                if event.subject == case.submission.id:
                    break
    finally:
        process.end()
    assert list(range(1, len(seen) + 1)) == seen
