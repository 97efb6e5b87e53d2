"""The door for programs elsewhere: tokens with scopes, over loopback or TLS, and nothing else."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Scope, Status
from tests.engine_process import EngineProcess
from tests.tls import free_port, self_signed

PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a certificate of this machine's loopback, and its key."""
    return self_signed(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def port() -> int:
    """Return the port of the module's engine."""
    return free_port()


@pytest.fixture(scope="module")
def engine(
    tmp_path_factory: pytest.TempPathFactory, port: int, certificate: tuple[Path, Path]
) -> Iterator[EngineProcess]:
    """Yield an engine that listens with TLS."""
    process = EngineProcess(
        tmp_path_factory.mktemp("home"),
        PRATIQUE_SERVER__LISTEN=f"127.0.0.1:{port}",
        PRATIQUE_SERVER__TLS_CERTIFICATE=str(certificate[0]),
        PRATIQUE_SERVER__TLS_KEY=str(certificate[1]),
        PRATIQUE_SERVER__REQUESTS_BURST="40",
        PRATIQUE_SERVER__REQUESTS_PER_MINUTE="1",
    )
    process.start()
    yield process
    process.end()


@pytest.fixture
def trust(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    """Return what trusts the engine's certificate."""
    return ssl.create_default_context(cafile=str(certificate[0]))


@pytest.fixture
async def http(port: int, trust: ssl.SSLContext) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a plain HTTP client without a token."""
    base = f"https://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=base, verify=trust, timeout=60, trust_env=False) as http:
        yield http


async def bearer(client: Client, name: str, *scopes: Scope, key: str = "") -> dict[str, str]:
    """Return the header of a new token."""
    made = await client.tokens.create(name, scopes, 1, key)
    return {"authorization": f"Bearer {made.secret}"}


def draft(code: str = "print(1)") -> Draft:
    """Return a draft that waits."""
    return Draft(code=Untrusted(code), language=Language.PYTHON)


async def test_no_token_and_a_wrong_one_get_the_same_answer(http: httpx.AsyncClient, client: Client) -> None:
    """Nobody learns whether a token is unknown, revoked, or was not given; all of it is one problem."""
    made = await client.tokens.create("gone", (Scope.ADMIN,), 1)
    await client.tokens.revoke(made.token.id)
    seen = set()
    for value in ("", "Bearer nonsense", "Basic eA==", f"Bearer {made.secret}"):
        answer = await http.get("/v1/submissions", headers={"authorization": value} if value else {})
        assert (401, PROBLEM) == (answer.status_code, answer.headers["content-type"])
        seen.add((answer.text, answer.headers["www-authenticate"], len(answer.headers)))
    assert 1 == len(seen)


WHO = {
    Scope.SUBMIT: {"GET /healthz", "POST /v1/analysis", "GET /audit"},
    Scope.REVIEW: {"GET /v1/submissions", "GET /audit", "GET /v1/pre-approvals", "GET /healthz"},
    Scope.AUDIT: {
        "GET /v1/submissions",
        "GET /audit",
        "GET /v1/pre-approvals",
        "GET /healthz",
        "GET /metrics",
    },
}
TRIED = sorted({one for many in WHO.values() for one in many} | {"GET /v1/tokens", "POST /v1/shutdown"})


@pytest.mark.parametrize("scope", WHO)
async def test_a_scope_lets_in_where_it_says(http: httpx.AsyncClient, client: Client, scope: Scope) -> None:
    """Each scope opens its own doors; the others answer 403, and the engine's end is for admins."""
    headers = await bearer(client, "one", scope)
    for one in TRIED:
        method, path = one.split()
        answer = await http.request(method, path, headers=headers, json={} if method == "POST" else None)
        open_ = one in WHO[scope] or one in {"POST /v1/analysis", "GET /healthz"}
        assert open_ == (answer.status_code != 403), (one, answer.text)


async def test_a_token_that_submits_sees_its_own_alone(http: httpx.AsyncClient, client: Client) -> None:
    """Another's submission is as unknown as one that is not there, and no other name may be taken."""
    own, other = await bearer(client, "ci", Scope.SUBMIT), await bearer(client, "rival", Scope.SUBMIT)
    body = {"draft": {"code": "print(2)", "language": "python"}}
    made = (await http.post("/v1/submissions", json=body, headers=own)).json()
    id = made["submission"]["id"]
    assert "ci" == made["submission"]["requester"]["name"]
    assert 200 == (await http.get(f"/v1/submissions/{id}", headers=own)).status_code
    for path in (f"/v1/submissions/{id}", f"/v1/runs/{id}/output", f"/v1/submissions/{id}/analysis"):
        assert 404 == (await http.get(path, headers=other)).status_code
    assert (
        403 == (await http.post("/v1/submissions", json={**body, "requester": "x"}, headers=own)).status_code
    )
    withdrawal = f"/v1/submissions/{id}/withdrawal"
    assert 404 == (await http.post(withdrawal, json={}, headers=other)).status_code
    await http.post(withdrawal, json={}, headers=own)
    assert Status.DENIED is (await client.case(id)).status


async def test_a_decision_has_to_be_signed_where_the_token_says_so(
    client: Client, port: int, trust: ssl.SSLContext
) -> None:
    """Unsigned, or signed with another key: refused, and nothing is decided."""
    key, wrong = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw().hex()
    secret = (await client.tokens.create("eve", (Scope.REVIEW,), 1, public)).secret
    submission = (await client.submit(draft("print(3)"))).submission
    url = f"https://127.0.0.1:{port}"
    for used in (None, wrong):
        async with Client(url, token=secret, verify=trust, key=used) as reviewer:
            with pytest.raises(Problem, match=r"signed|signature"):
                await reviewer.decide(submission.id, DecisionOutcome.DENIED, submission.digest)
    assert Status.PENDING is (await client.case(submission.id)).status
    async with Client(url, token=secret, verify=trust, key=key) as reviewer:
        decided = await reviewer.decide(submission.id, DecisionOutcome.DENIED, submission.digest)
    assert decided.decision is not None
    assert "eve" == decided.decision.by.name.text


async def test_too_many_requests_are_told_when_to_come_back(http: httpx.AsyncClient, client: Client) -> None:
    """A token has its rate; over it is 429 with `Retry-After`, and another token is not held up."""
    greedy, other = await bearer(client, "greedy", Scope.REVIEW), await bearer(client, "calm", Scope.REVIEW)
    answers = [await http.get("/v1/submissions", headers=greedy) for _ in range(41)]
    assert (429, PROBLEM) == (answers[-1].status_code, answers[-1].headers["content-type"])
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert 200 == (await http.get("/v1/submissions", headers=other)).status_code


async def test_a_stranger_of_a_host_is_refused_before_its_token_is_read(http: httpx.AsyncClient) -> None:
    """Host and origin are looked at first."""
    assert 421 == (await http.get("/healthz", headers={"host": "evil.example"})).status_code
    assert 403 == (await http.get("/healthz", headers={"origin": "https://evil.example"})).status_code


async def test_what_is_no_http_is_answered_as_a_problem(engine: EngineProcess) -> None:
    """Even what the parser cannot read gets a problem of RFC 9457."""
    async with asyncio.timeout(60):
        reader, writer = await asyncio.open_unix_connection(engine.socket)
        writer.write(b"NO SUCH THING\r\n\r\n")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
    assert b"400 Bad Request" in head
    assert PROBLEM.encode() in head
    assert 400 == json.loads(body)["status"]


@pytest.mark.parametrize("address", ["0.0.0.0:{}", "[::]:{}", "example.org:{}"])
def test_without_tls_only_loopback_is_listened_at(home: Path, address: str) -> None:
    """An engine that would show tokens to the network does not start, and says what to set."""
    done = EngineProcess(home, PRATIQUE_SERVER__LISTEN=address.format(free_port())).run()
    assert 1 == done.returncode
    assert "without TLS" in done.stderr
    assert "server.tls_certificate" in done.stderr


async def test_who_only_submits_finds_their_own(http: httpx.AsyncClient, client: Client) -> None:
    """A token that submits lists what it handed in itself, and may not count what others did."""
    await client.submit(draft("print('not mine')"))
    headers = await bearer(client, "own", Scope.SUBMIT)
    assert [] == (await http.get("/v1/history", headers=headers)).json()
    assert 403 == (await http.get("/v1/history/facets", headers=headers)).status_code


async def test_an_auditor_reads_all_and_changes_nothing(
    engine: EngineProcess, http: httpx.AsyncClient, client: Client
) -> None:
    """Whatever changes something is closed to them; what they read of others is in the history, once."""
    made = await client.submit(draft("print('audited')"))
    id = made.submission.id
    await client.decide(id, DecisionOutcome.DENIED, made.submission.digest)
    auditor = await bearer(client, "anna", Scope.AUDIT)
    for path in (f"/v1/submissions/{id}", f"/v1/runs/{id}/output", f"/v1/submissions/{id}/analysis"):
        assert 200 == (await http.get(path, headers=auditor)).status_code
    looks = [event.actor.text for event in await client.history.events(id) if event.type == "history.viewed"]
    assert 1 == looks.count("anna")
    deeds = [(method, path) for path, methods in (await _routes(engine)).items() for method in methods]
    changing = sorted(deed for deed in deeds if deed[0] != "get")
    assert len(changing) > 20
    for number, (method, path) in enumerate(changing):
        if number % 30 == 0:  # a token may ask so often, then it has to wait
            auditor = await bearer(client, f"anna-{number}", Scope.AUDIT)
        filled = path.format_map(defaultdict(lambda: "x", id=id, call="1"))
        answer = await http.request(method, filled, headers=auditor, json={})
        assert ((method, path) in FOR_AUDITORS) == (answer.status_code != 403), (method, path, answer.text)
    assert Status.DENIED is (await client.case(id)).status


FOR_AUDITORS = {
    ("post", "/v1/analysis"),
    ("post", "/v1/history/exports"),
    ("post", "/v1/history/verification"),
    ("post", "/v1/history/verification/checkpoints"),
}
"""What they may do beside reading: have code read, say what they took, and have the history read."""


async def _routes(engine: EngineProcess) -> dict[str, list[str]]:
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    async with httpx.AsyncClient(transport=transport, base_url="http://engine", timeout=60) as http:
        return dict((await http.get("/openapi.json")).json()["paths"])


def test_a_certificate_that_is_none_is_said_in_words(home: Path) -> None:
    """An engine with a missing certificate does not start, and names the file."""
    listen, wrong = f"127.0.0.1:{free_port()}", "/nowhere/cert.pem"
    done = EngineProcess(home, PRATIQUE_SERVER__LISTEN=listen, PRATIQUE_SERVER__TLS_CERTIFICATE=wrong).run()
    assert 1 == done.returncode
    assert f"{wrong} cannot be used" in done.stderr
    assert "Traceback" not in done.stderr
