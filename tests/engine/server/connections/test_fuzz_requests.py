"""Requests made up at random from the OpenAPI document: refused in words with a hint, and never a 500."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.engine.server.connections.made_up_requests import FILTERS, Operation, operations, requests
from tests.engine_process import EngineProcess

PROBLEM = "application/problem+json"
EXAMPLES = int(os.environ.get("PRATIQUE_TESTS_FUZZ", "25"))
"""Requests for each route; `PRATIQUE_TESTS_FUZZ=1000` is thorough."""
SECONDS = 60.0
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Yield an engine that takes whatever comes, and that never met an unexpected error."""
    process = EngineProcess(
        tmp_path_factory.mktemp("home"),
        PRATIQUE_POLICY__SUBMISSIONS_PER_MINUTE="1000000",
        PRATIQUE_POLICY__SUBMISSIONS_BURST="1000000",
    )
    process.start()
    yield process
    assert process.end() == 0
    log = (process.home / "test.log").read_text()
    assert "internal.error" not in log
    assert "Traceback" not in log


@pytest.fixture(scope="module")
def document(engine: EngineProcess) -> dict[str, Any]:
    """Return the OpenAPI document."""
    _, _, body = exchange(
        engine, b"GET /openapi.json HTTP/1.1\r\nhost: engine\r\nconnection: close\r\n\r\n", whole=True
    )
    return dict(json.loads(body))


def exchange(engine: EngineProcess, request: bytes, *, whole: bool = False) -> tuple[int, str, bytes]:
    """Return status, content type and, of a problem, the body that answers raw bytes."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(SECONDS)
        peer.connect(str(engine.socket))
        peer.sendall(request)
        got = b""
        while b"\r\n\r\n" not in (got := got.removeprefix(CONTINUE)):
            part = peer.recv(65536)
            assert part, (request[:2000], got)
            got += part
        head, _, body = got.partition(b"\r\n\r\n")
        status, headers = int(head.split()[1]), head.decode("latin-1").lower()
        kind = headers.partition("content-type: ")[2].partition("\r\n")[0]
        size = int(headers.partition("content-length: ")[2].partition("\r\n")[0] or 0)
        while (whole or kind == PROBLEM) and len(body) < size:
            body += peer.recv(65536)
    return status, kind, body


def check(engine: EngineProcess, request: bytes) -> None:
    """Send a request and check that its answer is no internal error, and an error has a hint."""
    status, kind, body = exchange(engine, request)
    assert status not in {500, 502, 504}, (request[:2000], body)
    if status >= 400:
        assert kind == PROBLEM, (request[:2000], status, kind)
        problem = json.loads(body)
        assert status == problem["status"]
        assert problem["title"], request[:2000]
        assert problem["hint"], request[:2000]


def test_no_request_is_answered_with_an_internal_error(
    engine: EngineProcess, document: dict[str, Any]
) -> None:
    """Every route, with hostile parameters, headers, bodies, encodings and lengths."""
    ids = list(things(engine))
    for operation in operations(document):
        try_operation(engine, operation, document, ids)


def things(engine: EngineProcess) -> Iterator[str]:
    """Make a submission and a session, and yield their ids."""
    draft = {"draft": {"code": "print(1)", "language": "python"}}
    for path, body in (("/v1/submissions", draft), ("/v1/sessions", {"language": "python"})):
        raw = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nhost: engine\r\ncontent-type: application/json\r\n"
        request = head.encode() + b"content-length: %d\r\n\r\n%b" % (len(raw), raw)
        made = json.loads(exchange(engine, request, whole=True)[2])
        yield made["submission"]["id"] if "submission" in made else made["id"]


def try_operation(
    engine: EngineProcess, operation: Operation, document: dict[str, Any], ids: list[str]
) -> None:
    """Try one operation with a bounded number of requests."""

    @given(requests(operation, document, ids))
    @settings(
        max_examples=EXAMPLES,
        derandomize="PRATIQUE_TESTS_FUZZ" not in os.environ,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def attempt(request: bytes) -> None:
        check(engine, request)

    attempt()


@pytest.mark.parametrize("term", FILTERS)
def test_no_filter_is_answered_with_an_internal_error(engine: EngineProcess, term: str) -> None:
    """Dates at the ends of time, huge numbers and broken values of every key of the filter."""
    for path in ("/v1/history?filter=", "/v1/history/facets?filter=", "/v1/history/filter?text="):
        check(engine, f"GET {path}{quote(term, safe='')} HTTP/1.1\r\nhost: engine\r\n\r\n".encode())


@given(st.binary(max_size=300))
@settings(max_examples=EXAMPLES * 4, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_no_bytes_are_answered_with_an_internal_error(engine: EngineProcess, raw: bytes) -> None:
    """What is no HTTP at all, after a request line that is."""
    check(engine, b"GET /v1/history HTTP/1.1\r\n" + raw + b"\r\n\r\n\r\n")
