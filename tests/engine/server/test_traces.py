"""Traces of a real engine reach a real receiver of OTLP, hold nobody up, and tell no text of anybody's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, Draft, Event, Language
from engine.server.traces.exporter import WAITING, TraceExporter
from engine.server.traces.otlp import otlp, trace_id
from engine.server.traces.spans import is_end, spans_of
from engine.settings import TraceSettings
from tests.console.support.fake_engine import event
from tests.engine.notifications.receivers import Inbox, Post, listening
from tests.engine_process import EngineProcess

SECRET = "TOPSECRET"


@asynccontextmanager
async def traced(home: Path, port: int) -> AsyncIterator[Client]:
    """Yield a client of an engine that exports its traces to a port."""
    url = f"http://127.0.0.1:{port}/v1/traces"
    engine = EngineProcess(home, PRATIQUE_TRACES=json.dumps({"url": url}))
    await asyncio.to_thread(engine.start)
    try:
        async with engine.client("bot") as client:
            yield client
    finally:
        await asyncio.to_thread(engine.end)


async def decided(client: Client, outcome: DecisionOutcome) -> Case:
    """Submit code that waits, decide about it, and return it once it is over."""
    code = Untrusted(f"import os\nprint(os.environ.get('A'), '{SECRET}')")
    draft = Draft(code=code, language=Language.PYTHON, purpose=Untrusted(SECRET))
    case = await client.submit(draft)
    await client.decide(case.submission.id, outcome, case.submission.digest, SECRET)
    return await client.case(case.submission.id, within=60)


def spans(posts: list[Post]) -> Iterator[dict[str, Any]]:
    """Yield the spans that were posted."""
    for post in posts:
        for resource in json.loads(post.body)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                yield from scope["spans"]


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a span as they are on the wire."""
    return {one["key"]: one["value"] for one in span["attributes"]}


@pytest.mark.sandbox
async def test_a_run_is_a_trace_from_submission_to_result(home: Path) -> None:
    """One trace, each phase after the other below the whole; nobody's text is in it."""
    inbox = Inbox()
    with listening(inbox) as port:
        async with traced(home, port) as client:
            case = await decided(client, DecisionOutcome.APPROVED)
            post = (await asyncio.to_thread(inbox.wait_for, 1))[0]
    id = case.submission.id
    found = list(spans([post]))
    assert ["submission", "analysis", "review", "sandbox", "run"] == [span["name"] for span in found]
    assert {trace_id(id)} == {span["traceId"] for span in found}
    assert [None] + [found[0]["spanId"]] * 4 == [span.get("parentSpanId") for span in found]
    assert [span["endTimeUnixNano"] for span in found[1:4]] == [
        span["startTimeUnixNano"] for span in found[2:]
    ]
    assert ["first output"] == [moment["name"] for moment in found[4]["events"]]
    assert {"intValue": "0"} == attributes(found[4])["pratique.exit_code"]
    assert ("/v1/traces", "application/json") == (post.path, post.headers["content-type"])
    assert SECRET.encode() not in post.body


async def test_a_denied_submission_is_told_once_a_receiver_takes_it(home: Path) -> None:
    """A receiver that answers 503 holds nobody up, and gets the trace with the next attempt."""
    inbox = Inbox()
    inbox.answers = [503]
    with listening(inbox) as port:
        async with traced(home, port) as client:
            case = await decided(client, DecisionOutcome.DENIED)
            posts = await asyncio.to_thread(inbox.wait_for, 1)
    found = list(spans(posts))
    assert ["submission", "analysis", "review"] == [span["name"] for span in found]
    assert {"stringValue": "denied"} == attributes(found[2])["pratique.outcome"]
    assert {"stringValue": case.submission.id} == attributes(found[0])["pratique.submission"]


async def test_what_is_refused_is_dropped_and_told_in_health() -> None:
    """A receiver that refuses is not asked again, and the row of Health says how many traces are lost."""
    inbox, events = Inbox(), ended()
    inbox.answers = [400]
    with listening(inbox) as port:
        settings = TraceSettings(url=f"http://127.0.0.1:{port}/v1/traces")
        exporter = TraceExporter(settings, lambda id: answered(events))
        exporter.listen(events[-1])
        task = asyncio.create_task(exporter.run())
        async with asyncio.timeout(30):
            while next(exporter.checks()).ok:
                await asyncio.sleep(0.01)
        task.cancel()
    assert "it answered 400; 0 exported, 1 dropped" in next(exporter.checks()).detail.text


async def test_more_than_wait_are_dropped_at_once() -> None:
    """However many end while nothing is taken: what listens returns, and forgets the rest."""
    exporter = TraceExporter(TraceSettings(url="http://127.0.0.1:9/v1/traces"), lambda id: answered(()))
    for _ in range(WAITING + 3):
        exporter.listen(ended()[-1])
    assert "0 exported, 3 dropped" == next(exporter.checks()).detail.text


def test_an_approval_is_no_end_and_nothing_is_told_without_a_begin() -> None:
    """A submission is over with its run, or with a decision that lets nothing run."""
    events = ended()
    assert [False, False, False, False, False, True] == [is_end(each) for each in events]
    assert is_end(event(9, "decision.expired", "s-1", {"outcome": "expired"}))
    assert () == spans_of(events[1:])


def test_a_run_that_was_ended_has_failed() -> None:
    """So has the whole; whole numbers are text on the wire, as the JSON of protobuf wants."""
    body = json.loads(otlp({"service.name": "pratique"}, [("s-1", spans_of(ended()))]))
    whole, *_, run = body["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert ({"code": 2}, {"code": 2}) == (whole["status"], run["status"])
    assert {"intValue": "7"} == attributes(run)["pratique.memory_peak"]
    assert {"doubleValue": 0.5} == attributes(run)["pratique.cpu_seconds"]
    assert "pratique.exit_code" not in attributes(run)


def ended() -> tuple[Event, ...]:
    """Return the events of a submission whose run was ended."""
    result = {"kill_reason": "timeout", "exit_code": None, "memory_peak": 7, "cpu_seconds": 0.5}
    told: list[tuple[str, dict[str, Any]]] = [
        ("submission.created", {"language": "python", "purpose": SECRET}),
        ("submission.analysed", {"rules": [], "complete": True, "seconds": 0.1}),
        ("submission.assessed", {"risk": "high", "rules": []}),
        ("decision.made", {"outcome": "approved", "reason": SECRET}),
        ("run.started", {"sandbox": "1"}),
        ("run.ended", result),
    ]
    return tuple(event(seq, type, "s-1", data) for seq, (type, data) in enumerate(told, 1))


async def answered(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return events as the history does."""
    return events
