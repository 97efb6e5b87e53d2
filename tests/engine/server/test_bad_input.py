"""What hostile or broken clients send: a typed error, and nothing lost of what was accepted."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import socket
import zipfile
from collections.abc import AsyncIterator

import httpx
import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, InputFile, Language, Status
from tests.engine_process import EngineProcess

PROBLEM = "application/problem+json"
BODY = json.dumps({"draft": {"code": "print(1)", "language": "python"}, "requester": "a"}).encode()


@pytest.fixture
async def http(engine: EngineProcess) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a plain HTTP client of the engine's socket."""
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    headers = {"content-type": "application/json"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", timeout=120, headers=headers
    ) as http:
        yield http


async def test_a_hundred_megabytes_are_refused(http: httpx.AsyncClient) -> None:
    """Code over the bound is a 413 in words; the engine reads no further and goes on."""

    async def much() -> AsyncIterator[bytes]:
        yield b'{"draft": {"language": "python", "code": "'
        for _ in range(100):
            yield b"x" * 1_000_000

    answer = await http.post("/v1/submissions", content=much())
    assert (413, PROBLEM) == (answer.status_code, answer.headers["content-type"])
    assert 200 == (await http.get("/v1/submissions")).status_code


@pytest.mark.parametrize(
    "name", ["../out", "/etc/passwd", "a/../../b", "a\x00b", "", ".", "a//b/..", "\ud800"]
)
async def test_an_input_file_stays_in_the_workspace(http: httpx.AsyncClient, name: str) -> None:
    """A name that leads out, holds NUL, or is no text is refused, and nothing is stored."""
    files = [{"name": name, "content": base64.b64encode(b"x").decode()}]
    body = json.dumps({"draft": {"code": "1", "language": "python", "files": files}})
    answer = await http.post("/v1/submissions", content=body)
    assert (422, PROBLEM) == (answer.status_code, answer.headers["content-type"])
    assert [] == (await http.get("/v1/submissions")).json()


async def test_a_zip_bomb_is_a_file_like_any(client: Client) -> None:
    """Input files are never unpacked on the way: a bomb costs its own bytes and no more."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", b"\0" * 50_000_000)
    bomb = InputFile(name=Untrusted("bomb.zip"), content=packed.getvalue())
    draft = Draft(code=Untrusted("1"), language=Language.PYTHON, files=(bomb,))
    submission = (await client.submit(draft)).submission
    await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest)
    assert packed.getvalue() == (await client.case(submission.id)).submission.draft.files[0].content


async def test_a_key_is_not_replayed_with_another_body(client: Client) -> None:
    """The same key and body get the same submission, and another body is refused in words."""
    first = await client.submit(Draft(code=Untrusted("print(5)"), language=Language.PYTHON), key="k-5")
    again = await client.submit(Draft(code=Untrusted("print(5)"), language=Language.PYTHON), key="k-5")
    assert first.submission.id == again.submission.id
    with pytest.raises(Problem, match="came with another request"):
        await client.submit(Draft(code=Untrusted("print(6)"), language=Language.PYTHON), key="k-5")


REQUEST = (
    b"POST /v1/submissions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(BODY), BODY)
)
STEPS = [0, 10, len(REQUEST) - len(BODY), len(REQUEST) - 1, len(REQUEST)]


@pytest.mark.parametrize("sent", STEPS)
async def test_a_client_that_vanishes_loses_nothing(engine: EngineProcess, client: Client, sent: int) -> None:
    """Gone before its request was whole: nothing is stored. Gone after: it waits, once, and is analysed."""
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_UNIX) as door:
        door.setblocking(False)
        await loop.sock_connect(door, str(engine.socket))
        await loop.sock_sendall(door, REQUEST[:sent])
    whole = sent == len(REQUEST)
    async with asyncio.timeout(60):
        while whole and not await client.queue():
            await asyncio.sleep(0.02)
    queue = await client.queue()
    assert whole == bool(queue)
    assert all(one.status is Status.PENDING for one in queue)


async def test_a_reader_that_vanishes_leaves_the_engine_well(http: httpx.AsyncClient, client: Client) -> None:
    """Streams that are cut off in the middle are closed, and the engine answers as before."""
    for path in ("/v1/events?since=0", "/v1/leases/" + "x" * 20):
        for _ in range(5):
            async with asyncio.timeout(60), http.stream("GET", path) as stream:
                assert 200 == stream.status_code
    assert (await client.health()).checks


@pytest.mark.parametrize(
    "id",
    [
        "../shutdown?",
        "../../shutdown#",
        "a/../../shutdown?",
        "?",
        "#",
        "",
        ".",
        "a b",
        "\x1b[2J",
        "x" * 70_000,
    ],
    ids=lambda id: repr(id[:20]),
)
async def test_an_id_leads_to_no_other_place(client: Client, id: str) -> None:
    """What is asked of a submission, a run or a session is never asked of anything else."""
    with pytest.raises(Problem, match="there is nothing at"):
        await client.case(id)
    with pytest.raises(Problem, match=r"there is nothing at|Not Found|no submission"):
        await client.withdraw(id)
    with pytest.raises(Problem):
        await client.sessions.read_file("ses-1", f"../../../{id}")
    with pytest.raises(Problem):
        [chunk async for chunk in client.output(id)]
    assert () == await client.queue()
