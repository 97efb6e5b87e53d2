"""The log: what it says, that it stays on its line, and what never enters it."""

from __future__ import annotations

import io
import json
import logging
import socket
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from engine.common import log
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language
from engine.server.http.middleware.access import AccessMiddleware
from engine.server.http.middleware.authentication import SocketAuthenticator
from engine.server.http.middleware.concurrency import ConcurrencyLimit
from engine.settings import ServerSettings
from tests.engine_process import EngineProcess

HOSTILE = "a\nERROR forged \x1b[2J\u202e"
MARKERS = {name: f"marker-{name}-7f3a91" for name in ("code", "file", "purpose", "token", "secret", "reason")}


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Return what is logged as JSON, with the loggers as they were afterwards."""
    root, written = logging.getLogger(), io.StringIO()
    monkeypatch.setattr(root, "handlers", list(root.handlers))
    monkeypatch.setattr("sys.stderr", written)
    log.configure("json", "info")
    return written


@pytest.mark.parametrize("formatter", [log.TextFormatter(), log.JsonFormatter()])
def test_hostile_text_stays_on_its_line(formatter: logging.Formatter, lines: io.StringIO) -> None:
    """Line breaks, escape sequences and bidirectional marks are shown, not obeyed."""
    logging.getLogger().handlers[0].setFormatter(formatter)
    log.warning("request.refused", address=HOSTILE, reason=Untrusted(HOSTILE))
    line = lines.getvalue()
    assert 1 == line.count("\n")
    assert line.removesuffix("\n").isprintable()


def test_an_internal_error_is_logged_without_its_message(lines: io.StringIO) -> None:
    """The type and the stack are logged; the message, which may quote the input, is not."""
    try:
        raise ValueError(MARKERS["code"])  # noqa: TRY301
    except ValueError as error:
        reference = log.internal_error(error, "GET /x")
    entry = json.loads(lines.getvalue())
    assert (reference, "ValueError", "GET /x") == (entry["correlation_id"], entry["error"], entry["where"])
    assert "test_log.py" in entry["stack"]
    assert MARKERS["code"] not in lines.getvalue()


def test_an_exception_in_a_library_is_logged_without_its_message(lines: io.StringIO) -> None:
    """The same holds for what other loggers write."""
    try:
        raise ValueError(MARKERS["code"])  # noqa: TRY301
    except ValueError:
        logging.getLogger("some.library").exception("it failed: %s", MARKERS["file"])
    assert "ValueError" == json.loads(lines.getvalue())["error"]
    assert not [marker for marker in MARKERS.values() if marker in lines.getvalue()]


async def test_an_internal_error_is_answered_with_its_reference(lines: io.StringIO) -> None:
    """The answer names the log entry, and says nothing else."""

    async def fail(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError(MARKERS["secret"])

    app = AccessMiddleware(
        fail, ServerSettings(), ConcurrencyLimit(1), SocketAuthenticator(lambda secret: None)
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://engine") as http:
        answer = await http.get("/")
    reference = json.loads(lines.getvalue())["correlation_id"]
    assert (500, reference) == (answer.status_code, answer.json()["correlation_id"])
    assert f"internal error, reference {reference}; see the engine log" == answer.json()["title"]
    assert MARKERS["secret"] not in answer.text + lines.getvalue()


async def test_the_log_tells_what_happened_and_no_content(home: Path) -> None:
    """Start, endpoints, secrets by name and refused tokens are logged; no content of any kind is."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    process = EngineProcess(home, PRATIQUE_SERVER__LISTEN=address, PRATIQUE_SERVER__LOG_FORMAT="json")
    process.start()
    try:
        await _use(process, address)
    finally:
        process.end()
    written = (home / "test.log").read_text()
    entries = [json.loads(line) for line in written.splitlines()]
    events = {entry["event"] for entry in entries}
    expected = {"engine.started", "endpoint.opened", "endpoint.closed", "engine.stopped"}
    assert expected | {"secret.set", "authentication.refused"} <= events
    assert ["API_KEY"] == [entry["name"] for entry in entries if entry["event"] == "secret.set"]
    assert not [name for name, marker in MARKERS.items() if marker in written]


async def _use(process: EngineProcess, address: str) -> None:
    """Submit and deny code, set a secret, and show a wrong token."""
    draft = Draft(
        code=Untrusted(f"print('{MARKERS['code']}')"),
        language=Language.PYTHON,
        purpose=Untrusted(MARKERS["purpose"]),
    )
    async with process.client("agent") as client:
        submission = (await client.submit(draft)).submission
        await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest, MARKERS["reason"])
        await client.secrets.set("API_KEY", "api.example.org", MARKERS["secret"])
    headers = {"authorization": f"Bearer {MARKERS['token']}"}
    async with httpx.AsyncClient(base_url=f"http://{address}", headers=headers) as http:
        assert 401 == (await http.post("/v1/submissions", content=MARKERS["file"])).status_code
