"""What the HTTP API refuses, how it says so, and that its OpenAPI document is true."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from fastapi import HTTPException
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import positive_data_acceptance

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Event, Language
from engine.server.http.request_body import MOST_NESTING, parse
from tests.engine_process import EngineProcess

PROBLEM = "application/problem+json"


@pytest.fixture
async def http(engine: EngineProcess) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a plain HTTP client of the engine's socket."""
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as http:
        yield http


def is_problem(answer: httpx.Response, status: int, said: str) -> None:
    """Check that an answer is a problem (RFC 9457) that says this."""
    body = answer.json()
    assert (status, PROBLEM) == (answer.status_code, answer.headers["content-type"])
    assert status == body["status"]
    assert said in body["title"]


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "", "engine:x", "127.0.0.1.nip.io:80"]
)
async def test_a_host_that_is_not_ours_is_misdirected(http: httpx.AsyncClient, host: str) -> None:
    """A name that a page rebound to this machine gets no answer."""
    is_problem(await http.get("/v1/submissions", headers={"host": host}), 421, "unknown host name")


@pytest.mark.parametrize("host", ["engine", "localhost", "LOCALHOST:8000", "127.0.0.1", "[::1]:80"])
async def test_our_own_names_are_answered(http: httpx.AsyncClient, host: str) -> None:
    """Loopback by any of its names is this engine, with or without a port."""
    assert 200 == (await http.get("/v1/submissions", headers={"host": host})).status_code


@pytest.mark.parametrize("origin", ["http://localhost", "null", "https://evil.example"])
async def test_pages_in_browsers_are_refused(http: httpx.AsyncClient, origin: str) -> None:
    """A request that a page makes is refused before it is read."""
    is_problem(await http.post("/v1/shutdown", headers={"origin": origin}), 403, "web pages")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("DELETE", "/v1/submissions", 405),
        ("GET", "/v1/submissions/%00", 404),
        ("PUT", "/", 404),
    ],
)
async def test_what_is_not_there_is_a_problem_too(
    http: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    """Unknown routes and methods answer like everything else; 405 says what is allowed."""
    answer = await http.request(method, path)
    is_problem(answer, status, "")
    assert (status == 405) == ("allow" in answer.headers)


DRAFT = '{"draft": {"code": "x", "language": "python"}, "requester": "a", "requester": "b"}'
DEEP = '{"draft": ' * 40 + "1" + "}" * 40


@pytest.mark.parametrize(
    ("said", "body"),
    [
        ("requester: named twice", DRAFT.encode()),
        ("nested more than", DEEP.encode()),
        ("nested more than", b"[" * 50_000 + b"]" * 50_000),
        ("NaN is no JSON", b'{"draft": NaN}'),
        ("not UTF-8 text, from byte 2", b'{"\xff": 1}'),
        ("not UTF-8 text, from byte 0", '{"draft": 1}'.encode("utf-16")),
        ("no JSON", b'{"draft": ' + b"9" * 10_000 + b"}"),
        ("\u27e8202E\u27e9", '{"\u202e": 1, "\u202e": 2}'.encode()),
        ("draft.root", b'{"draft": {"code": "x", "language": "python", "root": true}}'),
    ],
)
async def test_json_with_a_trick_is_refused_in_words(http: httpx.AsyncClient, said: str, body: bytes) -> None:
    """Keys named twice, deep nesting, NaN, endless numbers, other encodings and unknown fields."""
    headers = {"content-type": "application/json"}
    is_problem(await http.post("/v1/submissions", content=body, headers=headers), 422, said)


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("ofset: unknown", "ofset=1"),
        ("offset: given twice", "offset=1&offset=2"),
        ("offset: holds a NUL", "offset=%00"),
    ],
)
async def test_parameters_that_nobody_knows_are_refused(
    http: httpx.AsyncClient, said: str, query: str
) -> None:
    """A misspelt parameter is no silent default."""
    is_problem(await http.get(f"/v1/runs/s-0/output?{query}"), 422, said)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_plain_json_is_read_as_it_is(value: Any) -> None:
    """Whatever is within the bounds comes back equal."""
    assert value == parse(json.dumps(value).encode())


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(body: bytes) -> None:
    """Any bytes are JSON, or one of the two errors that are answered in words."""
    with contextlib.suppress(json.JSONDecodeError, HTTPException):
        parse(body)


def test_the_bound_of_nesting_is_exact() -> None:
    """As deep as the bound is read, and one deeper is not."""
    parse(b"[" * (MOST_NESTING + 1) + b"]" * (MOST_NESTING + 1))
    with pytest.raises(HTTPException):
        parse(b"[" * (MOST_NESTING + 2) + b"]" * (MOST_NESTING + 2))


def draft(code: str = "print(1)") -> Draft:
    """Return a draft that waits."""
    return Draft(code=Untrusted(code), language=Language.PYTHON)


async def test_events_can_be_chosen_by_type_and_subject(http: httpx.AsyncClient, client: Client) -> None:
    """A reader that wants some events is not sent the others; a type stands for what begins with it too."""
    submission = (await client.submit(draft())).submission
    await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest)
    assert ["decision.made"] == await kinds(http, 1, since=0, type="decision.made", subject=submission.id)
    assert ["submission.created", "submission.analysed", "submission.assessed"] == await kinds(
        http, 3, since=0, subject=submission.id
    )
    assert ["engine.started"] == await kinds(http, 1, since=0, type="engine")


async def kinds(http: httpx.AsyncClient, count: int, **params: Any) -> list[str]:
    """Return the types of the first events."""
    found: list[str] = []
    async with asyncio.timeout(20), http.stream("GET", "/v1/events", params=params) as answer:
        async for line in answer.aiter_lines():
            found.append(Event.model_validate_json(line).type)
            if len(found) == count:
                break
    return found


async def test_metrics_count_what_happened(http: httpx.AsyncClient, client: Client) -> None:
    """The queue's depth follows, decisions are timed, and every kill reason is there from the start."""
    before = await metrics(http)
    submission = (await client.submit(draft())).submission
    assert 1 == (await metrics(http))['pratique_open_submissions{state="pending"}']
    await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest)
    after = await metrics(http)
    name = 'pratique_decision_duration_seconds_count{outcome="denied"}'
    assert 1 == after[name] - before[name]
    assert 0 == after['pratique_open_submissions{state="pending"}']
    assert 0 == after['pratique_runs_total{kill_reason="memory"}']


async def metrics(http: httpx.AsyncClient) -> dict[str, float]:
    """Return what Prometheus would read."""
    lines = (await http.get("/metrics")).text.splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


async def test_readiness_is_an_answer_either_way(http: httpx.AsyncClient) -> None:
    """Ready is 204; not ready is a problem that says what is missing."""
    answer = await http.get("/readyz")
    assert answer.status_code == 204 or (503, PROBLEM) == (answer.status_code, answer.headers["content-type"])


async def test_curl_reads_the_stream_as_it_comes(engine: EngineProcess, client: Client) -> None:
    """`curl -N` over the socket gets an event the moment that it happens, a line for each."""
    curl = shutil.which("curl")
    assert curl, "curl is part of every development machine"
    command = [
        curl,
        "-sN",
        "--unix-socket",
        str(engine.socket),
        "http://localhost/v1/events?type=submission.created",
    ]
    reading = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert reading.stdout is not None
    try:
        async with asyncio.timeout(20):
            line = await first_line(reading.stdout, client)
    finally:
        reading.kill()
        await reading.wait()
    assert "submission.created" == Event.model_validate_json(line).type


async def first_line(stream: asyncio.StreamReader, client: Client) -> bytes:
    """Hand in code until the reader has heard of it."""
    reading = asyncio.create_task(stream.readline())
    while not reading.done():
        await client.submit(draft(), join=True)
        submission = (await client.submit(draft())).submission
        await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest)
        await asyncio.wait({reading}, timeout=0.2)
    return await reading


async def test_a_reader_that_does_not_read_holds_up_nobody(http: httpx.AsyncClient, client: Client) -> None:
    """A stream that nobody drains is held back by itself; submissions go on."""
    async with http.stream("GET", "/v1/events", params={"since": 0}) as stuck:
        assert 200 == stuck.status_code
        for n in range(30):
            submission = (await client.submit(draft(f"print({n})"))).submission
            await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest)
    assert () == await client.queue()


async def test_no_second_instance_of_a_stream_outlives_its_reader(client: Client) -> None:
    """Asking for the output of what never ran ends in a problem, not in silence."""
    with pytest.raises(Problem, match="no submission"):
        await anext(client.output("s-0", offset=5))


# --- the OpenAPI document ---------------------------------------------------------------------------

# `positive_data_acceptance` is left out: the ceiling, base64 and two files of one name are beyond a schema.
ENDLESS = {"/v1/events", "/v1/leases/{lease}", "/v1/shutdown", "/v1/history/verification"}
"""Operations that never answer whole, or that end the engine."""


@pytest.fixture(scope="module")
def plain(engine: EngineProcess) -> Iterator[httpx.Client]:
    """Yield a plain client that does not need a loop."""
    transport = httpx.HTTPTransport(uds=str(engine.socket))
    with httpx.Client(transport=transport, base_url="http://localhost", timeout=30) as http:
        yield http


def test_every_answer_is_what_the_document_says(plain: httpx.Client) -> None:
    """Requests made up from the document, good and bad, are answered as it says, and never with a crash."""
    schema = schemathesis.openapi.from_dict(plain.get("/openapi.json").json())
    assert "3.1.0" == schema.raw_schema["openapi"]
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        if found.ok().path not in ENDLESS:
            try_operation(found.ok(), plain)


def try_operation(operation: Any, plain: httpx.Client) -> None:
    """Try one operation with a bounded number of made-up requests."""

    @given(case=operation.as_strategy())
    @settings(
        max_examples=8,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def attempt(case: Any) -> None:
        asked = case.as_transport_kwargs(base_url="http://localhost")
        wanted = {"method", "url", "params", "headers", "json", "data"} & asked.keys()
        request = {("content" if name == "data" else name): asked[name] for name in wanted}
        case.validate_response(plain.request(**request), excluded_checks=[positive_data_acceptance])

    attempt()
