"""The socket: who opens it is its owner, by the kernel; an agent's connection is less, by a secret."""

from __future__ import annotations

import os
import pwd
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Draft, Language, Scope
from tests.engine_process import EngineProcess

OWNER = pwd.getpwuid(os.getuid()).pw_name


def draft(code: str = "print(1)") -> Draft:
    """Return a draft."""
    return Draft(code=Untrusted(code), language=Language.PYTHON)


@asynccontextmanager
async def connection(engine: EngineProcess, secret: str = "") -> AsyncIterator[Client]:
    """Yield the client of an unregistered agent."""
    async with Client(engine.socket, agent=secret or secrets.token_urlsafe(32)) as client:
        yield client


def test_the_owners_name_is_the_kernels(home: Path) -> None:
    """`LOGNAME`, `USER` and the like do not name who decides."""
    lies = dict.fromkeys(("LOGNAME", "USER", "LNAME", "USERNAME", "SUDO_USER"), "carol")
    process = EngineProcess(home, **lies)
    process.start()
    try:
        with httpx.Client(
            transport=httpx.HTTPTransport(uds=str(process.socket)), base_url="http://localhost"
        ) as http:
            body = {"draft": {"code": "print(1)", "language": "python"}}
            requester = http.post("/v1/submissions", json=body, timeout=60).json()["submission"]["requester"]
    finally:
        process.end()
    assert (OWNER, f"uid:{os.getuid()}") == (requester["name"], requester["id"])


CALLS = [
    ("GET", "/v1/submissions"),
    ("GET", "/v1/events"),
    ("GET", "/v1/history/facets"),
    ("GET", "/v1/history/{id}/events"),
    ("GET", "/v1/history/{id}/case"),
    ("GET", "/v1/submissions/{id}"),
    ("GET", "/v1/submissions/{id}/analysis"),
    ("GET", "/v1/submissions/{id}/decision"),
    ("GET", "/v1/submissions/{id}/similar"),
    ("GET", "/v1/runs/{id}/output"),
    ("GET", "/v1/runs/{id}/files"),
    ("POST", "/v1/submissions/{id}/claim"),
    ("POST", "/v1/submissions/{id}/decision"),
    ("POST", "/v1/submissions/{id}/withdrawal"),
    ("POST", "/v1/submissions/{id}/pre-approval"),
    ("POST", "/v1/runs/{id}/kill"),
    ("GET", "/v1/tokens"),
    ("POST", "/v1/tokens"),
    ("GET", "/v1/secrets"),
    ("POST", "/v1/shutdown"),
    ("POST", "/mcp"),
]


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_an_agents_connection_may_submit_and_nothing_else(
    engine: EngineProcess, client: Client, method: str, path: str
) -> None:
    """It neither decides nor reads what is not its own, with any name that it claims."""
    id = (await client.submit(draft())).submission.id
    headers = {"pratique-agent": secrets.token_urlsafe(32), "pratique-requester": "agent"}
    bodies = {"/v1/submissions/{id}/withdrawal": {"requester": "agent"}}
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as http:
        answer = await http.request(method, path.format(id=id), json=bodies.get(path))
    assert answer.status_code in {401, 403, 404}
    assert "print(1)" not in answer.text


@pytest.mark.parametrize("secret", ["", "x", "a" * 42, "a" * 129, "a" * 42 + "é", "../" * 20, "uid:0" * 9])
async def test_an_agent_that_can_be_guessed_is_refused(engine: EngineProcess, secret: str) -> None:
    """A secret of less than 256 bits, or of other characters, is no agent's, and not the owner's either."""
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        answer = await http.get("/v1/submissions", headers={b"pratique-agent": secret.encode()})
    assert 401 == answer.status_code


async def test_a_wrong_token_is_not_the_owner(engine: EngineProcess) -> None:
    """A request over the socket with a token is that token's, or nobody's."""
    async with Client(engine.socket, token="pratique_wrong") as wrong:
        with pytest.raises(Problem, match="valid token"):
            await wrong.queue()


async def test_knowing_an_agents_id_does_not_make_one_that_agent(
    engine: EngineProcess, client: Client
) -> None:
    """The id in the history is a hash: as a secret, or as a name, it leads to another agent."""
    async with connection(engine) as mine:
        case = await mine.submit(draft(), requester="claude")
        id, requester = case.submission.id, case.submission.requester
        proof = requester.id.rpartition(":")[2]
        for secret in (proof.ljust(43, "0"), f"{proof}{proof}"):
            async with connection(engine, secret) as thief:
                with pytest.raises(Problem, match="no submission"):
                    await thief.withdraw(id, requester.name.text)
        assert requester.name.text.startswith("claude#")


async def test_an_agent_reads_only_its_own_history(engine: EngineProcess, client: Client) -> None:
    """Searching finds what the connection submitted, and nothing of a label or token of the same name."""
    async with connection(engine) as mine, engine.client("ci") as label:
        made = await client.tokens.create("ci", (Scope.SUBMIT,), 1)
        await label.submit(draft("print('label')"))
        await mine.submit(draft("print('connection')"), requester="ci")
        async with Client(engine.socket, token=made.secret) as token:
            own = await token.submit(draft("print('token')"))
            found = await token.history.search("requester:ci")
    assert [own.submission.id] == [summary.id for summary in found]


async def test_a_lease_of_another_principal_is_not_ended_or_held(
    engine: EngineProcess, client: Client
) -> None:
    """Two principals that name their lease the same have two leases."""
    lease = secrets.token_urlsafe(24)
    async with connection(engine) as mine, connection(engine) as other:
        kept = mine.hold_lease(lease)
        await anext(kept)
        case = await mine.submit(draft("print('kept')"), lease=lease)
        theirs = other.hold_lease(lease)
        await anext(theirs)
        await theirs.aclose()
        await kept.aclose()
        assert case.submission.id in {summary.id for summary in await client.queue()}


@pytest.mark.parametrize(
    "name",
    ["policy", "owner", "system", "engine", "root", "inbox", "nobody", "bob\u200b", "Bob", "b\u043eb", "bob ",
     "", "-bob", ".bob", "b" * 65, "bob/ci", "bob#123456", "\u24d1ob", "bob\n", "bo\u0301b"],
)  # fmt: skip
async def test_token_names_mislead_nobody(client: Client, name: str) -> None:
    """Names with invisible, upper-case or foreign characters, and those of parts of it, are refused."""
    with pytest.raises(Problem) as refused:
        await client.tokens.create(name, (Scope.REVIEW,), 1)
    assert 422 == refused.value.status


STRANGER = """
import os, socket, sys
os.chdir(sys.argv[1])
os.setgroups([]); os.setgid(65534); os.setuid(65534)
with socket.socket(socket.AF_UNIX) as stranger:
    stranger.settimeout(20)
    stranger.connect("engine.sock")
    print(stranger.recv(4096).decode())
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can start a program as another user")
def test_another_user_is_not_the_owner(home: Path) -> None:
    """Where the modes of the socket and its folders let everybody in, the kernel still says who it is."""
    process = EngineProcess(home)
    process.start()
    try:
        process.socket.parent.chmod(0o755)
        process.socket.chmod(0o666)
        command = [sys.executable, "-S", "-c", STRANGER, str(process.socket.parent)]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    finally:
        process.end()
    assert answer.startswith("HTTP/1.1 403 ")
    assert "for its owner" in answer
