"""Sessions over HTTP: the shape of simple sandbox servers, with a person in between."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from engine.client.client import Client
from engine.models import DecisionOutcome
from tests.engine.server.deciding import deciding
from tests.engine_process import EngineProcess

WAIT = {"within": "60"}


@pytest.fixture
async def http(engine: EngineProcess) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a plain HTTP client of the engine's socket that speaks for an agent."""
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    headers = {"pratique-requester": "an%20agent"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", timeout=120, headers=headers
    ) as http:
        yield http
        for session in (await http.get("/v1/sessions")).json():
            await http.delete(f"/v1/sessions/{session['id']}")


async def opened(http: httpx.AsyncClient, **wanted: str) -> str:
    """Open a session and return its id."""
    answer = await http.post("/v1/sessions", json=wanted)
    assert 201 == answer.status_code, answer.text
    return str(answer.json()["id"])


def spoken(answer: httpx.Response) -> list[dict[str, Any]]:
    """Return the lines of an execution."""
    return [json.loads(line) for line in answer.text.splitlines()]


async def test_a_session_is_made_seen_and_ended_by_its_owner_alone(http: httpx.AsyncClient) -> None:
    """To another requester there is no such session; one that is closed says why."""
    id = await opened(http, language="python")
    assert [id] == [one["id"] for one in (await http.get("/v1/sessions")).json()]
    other = {"pratique-requester": "another"}
    assert [] == (await http.get("/v1/sessions", headers=other)).json()
    for method in ("GET", "DELETE"):
        assert 404 == (await http.request(method, f"/v1/sessions/{id}", headers=other)).status_code
    assert "closed" == (await http.delete(f"/v1/sessions/{id}")).json()["state"]
    answer = await http.post(f"/v1/sessions/{id}/execute", json={"code": "print(1)"})
    assert (409, "application/problem+json") == (answer.status_code, answer.headers["content-type"])


async def test_what_needs_a_person_is_answered_with_where_to_ask(
    http: httpx.AsyncClient, client: Client
) -> None:
    """202 names the submission; there the same answer comes as the call would have had."""
    id = await opened(http)
    answer = await http.post(f"/v1/sessions/{id}/execute", json={"code": "print(6 * 7)", "purpose": "sum"})
    asked = answer.json()
    assert (202, "pending", asked["location"]) == (
        answer.status_code,
        asked["status"],
        answer.headers["location"],
    )
    case = await client.case(asked["id"])
    assert ("sum", id) == (case.submission.draft.purpose.text, case.submission.draft.session)
    await client.decide(asked["id"], DecisionOutcome.DENIED, asked["digest"], "not today")
    lines = spoken(await http.get(asked["location"]))
    assert [{"error": "denied: not today"}, "denied"] == [lines[0], lines[-1]["status"]]
    other = {"pratique-requester": "another"}
    assert 404 == (await http.get(asked["location"], headers=other)).status_code


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "files/a.txt", b""),
        ("PUT", "files/a.txt", b"x"),
        ("DELETE", "files/a.txt", b""),
        ("GET", "files", b""),
        ("POST", "packages", b'{"packages": [{"name": "six", "version": "1.17.0"}]}'),
    ],
)
async def test_each_call_is_a_submission_of_its_own(
    http: httpx.AsyncClient, client: Client, method: str, path: str, body: bytes
) -> None:
    """Reading, writing, removing, listing and installing are each decided about, and denied in words."""
    id = await opened(http)
    async with deciding(client, DecisionOutcome.DENIED):
        headers = {"content-type": "application/json"} if method == "POST" else {}
        answer = await http.request(
            method, f"/v1/sessions/{id}/{path}", content=body, params=WAIT, headers=headers
        )
    if path == "packages":
        assert "denied" == spoken(answer)[-1]["status"], answer.text
    else:
        assert (403, "denied: so it is") == (answer.status_code, answer.json()["title"])


@pytest.mark.parametrize("path", ["..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "a%00b", "a/../../b", "."])
async def test_no_path_leads_out_of_the_workspace(http: httpx.AsyncClient, path: str) -> None:
    """Dots, NUL and absolute paths are refused before anybody is asked."""
    id = await opened(http)
    answer = await http.put(f"/v1/sessions/{id}/files/{path}", content=b"x")
    assert answer.status_code in {404, 405, 422}, answer.text


@pytest.mark.sandbox
async def test_a_client_of_a_plain_sandbox_server_works(http: httpx.AsyncClient, client: Client) -> None:
    """Create, execute twice with state kept, write, list, read, delete: nothing is known but the shapes."""
    async with deciding(client, DecisionOutcome.APPROVED):
        id = (await http.post("/v1/sessions", json={"language": "python"})).json()["id"]
        run, files = f"/v1/sessions/{id}/execute", f"/v1/sessions/{id}/files"
        first = spoken(await http.post(run, json={"code": "x = 41\nprint('set')"}, params=WAIT))
        assert "set\n" == "".join(line.get("text", "") for line in first)
        second = spoken(await http.post(run, json={"code": "print(x + 1)"}, params=WAIT))
        assert ["42\n", "finished"] == [second[0]["text"], second[-1]["status"]]
        wrong = spoken(await http.post(run, json={"code": "1 / 0"}, params=WAIT))
        assert any("error" in line for line in wrong)
        assert 204 == (await http.put(f"{files}/data/a.txt", content=b"abc", params=WAIT)).status_code
        assert b"abc" == (await http.get(f"{files}/data/a.txt", params=WAIT)).content
        assert any(
            one["name"].endswith("a.txt")
            for one in (await http.get(files, params={**WAIT, "path": "data"})).json()
        )
        assert 404 == (await http.get(f"{files}/nothing.txt", params=WAIT)).status_code
        assert 204 == (await http.delete(f"{files}/data/a.txt", params=WAIT)).status_code
        assert 200 == (await http.delete(f"/v1/sessions/{id}")).status_code
