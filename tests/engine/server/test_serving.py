"""The engine in its own process, spoken to over its socket: everything but running code."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import (
    DecisionOutcome,
    Draft,
    Event,
    Grant,
    Language,
    Level,
    Limits,
    Permissions,
    Status,
    Summary,
)
from tests.engine_process import EngineProcess

HOSTILE = "\x1b]52;c;UFdO\x07\u202e[/]"
HURRIED = {"PRATIQUE_POLICY__DEADLINES": '{"high": 0.3, "critical": 0.3}'}


def draft(code: str = "print(6 * 7)", **changes: object) -> Draft:
    """Return a draft of Python code."""
    made = Draft(code=Untrusted(code), language=Language.PYTHON)
    return made.model_copy(update=changes)


async def test_a_submission_comes_back_analysed_and_waiting(client: Client) -> None:
    """Code that runs is HIGH, waits, and has a deadline."""
    case = await client.submit(draft())
    assert (Status.PENDING, Level.HIGH) == (case.status, case.assessment.risk)
    assert case.deadline is not None
    assert [case.submission.id] == [summary.id for summary in await client.queue()]


async def test_code_that_does_not_parse_is_held_and_said_to_be_unread(client: Client) -> None:
    """A syntax error is a violation, and no way past the desk."""
    case = await client.submit(draft("def (:\n"))
    assert not case.analysis.complete
    assert Level.HIGH.rank <= case.assessment.risk.rank
    assert case.analysis.violations


async def test_a_denial_is_final_and_told_with_its_reason(client: Client) -> None:
    """A denied submission cannot be approved afterwards."""
    submission = (await client.submit(draft())).submission
    denied = await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest, "not today")
    assert Status.DENIED is denied.status
    assert denied.decision is not None
    assert Untrusted("not today") == denied.decision.reason
    with pytest.raises(Problem, match="is over"):
        await client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest)


async def test_a_decision_about_something_else_is_refused(client: Client) -> None:
    """A decision names the digest of what was shown, and any other digest is refused."""
    submission = (await client.submit(draft())).submission
    with pytest.raises(Problem, match="digests differ"):
        await client.decide(submission.id, DecisionOutcome.APPROVED, "0" * 64)
    assert Status.PENDING is (await client.case(submission.id)).status


async def test_a_grant_beyond_the_request_is_refused(client: Client) -> None:
    """A reviewer cannot give more than was asked."""
    submission = (await client.submit(draft())).submission
    more = Grant(permissions=Permissions(limits=Limits(memory_mb=1024)))
    with pytest.raises(Problem, match="never exceeds the request"):
        await client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest, grant=more)


async def test_two_decisions_at_once_have_one_winner(client: Client) -> None:
    """Of many decisions about one submission exactly one is taken."""
    submission = (await client.submit(draft())).submission
    denials = [
        client.decide(submission.id, DecisionOutcome.DENIED, submission.digest, str(n)) for n in range(8)
    ]
    answers = await asyncio.gather(*denials, return_exceptions=True)
    assert 7 == sum(isinstance(answer, Problem) for answer in answers)


async def test_nobody_is_nobodys_yes(home: Path) -> None:
    """A submission that nobody decides about expires, and cannot be approved any more."""
    process = EngineProcess(home, **HURRIED)
    process.start()
    try:
        async with process.client() as client:
            submission = (await client.submit(draft())).submission
            expired = await first(client.events(0), "decision.expired")
            assert submission.id == expired.subject
            assert Status.EXPIRED is (await client.case(submission.id)).status
            with pytest.raises(Problem):
                await client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest)
    finally:
        process.end()


async def first(events: AsyncIterator[Event], kind: str) -> Event:
    """Return the first event of that kind."""
    async with asyncio.timeout(20):
        async for event in events:
            if event.type == kind:
                return event
    raise AssertionError(f"no event {kind}")


async def test_killing_the_engine_loses_no_acknowledged_submission(home: Path) -> None:
    """After `kill -9` and a new start, what waited still waits, and the history is intact."""
    process = EngineProcess(home)
    process.start()
    async with process.client() as client:
        before = {(await client.submit(draft(f"print({n})"))).submission.id for n in range(5)}
    process.end(signal.SIGKILL)
    process.start()
    try:
        async with process.client() as client:
            assert before == {summary.id for summary in await client.queue()}
            assert (await client.history.verify()).intact
    finally:
        process.end()


async def test_what_expired_while_no_engine_ran_stays_expired(home: Path) -> None:
    """A deadline that passes while the engine is away ends in deny at the next start."""
    process = EngineProcess(home, **HURRIED)
    process.start()
    async with process.client() as client:
        submission = (await client.submit(draft())).submission
    process.end(signal.SIGKILL)
    process.start()
    try:
        async with process.client() as client:
            await first(client.events(0), "decision.expired")
            assert Status.EXPIRED is (await client.case(submission.id)).status
    finally:
        process.end()


async def test_hostile_text_comes_back_as_it_was_and_as_data(client: Client) -> None:
    """Control characters in code, purpose and name survive the way through the engine unchanged."""
    case = await client.submit(draft(f"# {HOSTILE}\n", purpose=Untrusted(HOSTILE)))
    again = (await client.case(case.submission.id)).submission.draft
    assert (Untrusted(HOSTILE), Untrusted(f"# {HOSTILE}\n")) == (again.purpose, again.code)


def test_the_socket_is_its_owners_alone(engine: EngineProcess) -> None:
    """Nobody else may connect."""
    assert 0o600 == stat.S_IMODE(engine.socket.stat().st_mode)
    assert 0o700 == stat.S_IMODE(engine.socket.parent.stat().st_mode)


def test_a_second_engine_on_the_same_state_says_so(engine: EngineProcess) -> None:
    """Two engines never write one history."""
    second = EngineProcess(engine.home).run()
    assert 1 == second.returncode
    assert "is already running" in second.stderr
    assert engine.socket.exists()


@pytest.mark.parametrize(
    ("status", "said", "body"),
    [
        (422, "lone surrogate|valid string|unicode", rb'{"draft": {"code": "\ud800", "language": "python"}}'),
        (422, "JSON", b"{"),
        (422, "language", b'{"draft": {"code": "x", "language": "cobol"}}'),
        (422, "root", b'{"draft": {"code": "x", "language": "python", "root": true}}'),
        (
            422,
            "memory_mb",
            b'{"draft": {"code": "x", "language": "shell", "permissions": {"limits": {"memory_mb": -1}}}}',
        ),
        (
            422,
            "ceiling",
            b'{"draft": {"code": "x", "language": "shell", "permissions": {"limits": {"cpus": 999}}}}',
        ),
        (422, "nest|deep|JSON", b"[" * 100_000),
        (413, "at most", b" " * (33 << 20)),
    ],
)
async def test_bad_requests_are_answered_in_words(
    engine: EngineProcess, status: int, said: str, body: bytes
) -> None:
    """What is no submission is refused with where it is wrong, and the engine goes on."""
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    async with httpx.AsyncClient(transport=transport, base_url="http://engine", timeout=30) as http:
        headers = {"content-type": "application/json"}
        answer = await http.post("/v1/submissions", content=body, headers=headers)
        assert (status, "application/problem+json") == (answer.status_code, answer.headers["content-type"])
        assert re.search(said, json.loads(answer.content)["title"])
        assert 200 == (await http.get("/v1/submissions")).status_code


async def test_an_unknown_submission_is_not_found(client: Client) -> None:
    """Asking for what never was says so."""
    for question in (client.case("s-0"), client.history.events("s-0"), anext(client.output("s-0"))):
        with pytest.raises(Problem, match="no submission s-0"):
            await question


async def test_without_an_engine_the_client_says_what_to_type(tmp_path: Path) -> None:
    """No engine is one line with a way out."""
    async with Client(tmp_path / "none.sock") as client:
        with pytest.raises(Problem, match="pratique serve"):
            await client.queue()


async def test_a_dropped_file_becomes_a_submission_once(engine: EngineProcess, client: Client) -> None:
    """The inbox takes a file, and its result appears beside it once it is decided."""
    inbox = engine.home / "inbox"
    (inbox / "job.py").write_text("print(1)\n")
    case = await client.case((await arrived(client)).id)
    assert Untrusted("inbox") == case.submission.requester.name
    await client.decide(case.submission.id, DecisionOutcome.DENIED, case.submission.digest, "no")
    result = await appeared(inbox / "job.py.result.json")
    assert ("denied", "no") == (result["status"], result["reason"])


async def arrived(client: Client) -> Summary:
    """Return the one submission that waits, once there is one."""
    async for _ in client.events(0):
        if pending := await client.queue():
            return pending[0]
    raise AssertionError("nothing arrived")


async def test_the_inbox_refuses_a_link_with_a_note(engine: EngineProcess, client: Client) -> None:
    """A link in the inbox is not followed."""
    (engine.home / "inbox" / "link.py").symlink_to("/etc/hostname")
    result = await appeared(engine.home / "inbox" / "link.py.result.json")
    assert "refused" == result["status"]
    assert () == await client.queue()


async def test_nothing_that_is_dropped_ends_the_inbox(engine: EngineProcess, client: Client) -> None:
    """Traps are refused or left alone, no link is written through, and what comes next is taken."""
    inbox = engine.home / "inbox"
    aside = engine.home / "aside"
    aside.write_text("mine")
    (inbox / ".bad.txt.result.json.part").symlink_to(aside)
    (inbox / f"{'l' * 252}.py").write_text("1")
    os.mkfifo(inbox / "pipe.py")
    (inbox / os.fsdecode(b"\xff.py")).write_text("\x00")
    (inbox / "trap").mkdir()
    (inbox / "trap" / "request.yaml").write_text("purpose: 2001-99-99")
    (inbox / "trap" / "main.py").write_text("1")
    (inbox / "bad.txt").write_text("1")
    for name in ("trap", "bad.txt", "pipe.py"):
        assert "refused" == (await appeared(inbox / f"{name}.result.json"))["status"]
    assert "mine" == aside.read_text()
    for summary in await client.queue():
        await client.decide(summary.id, DecisionOutcome.DENIED, summary.digest)
    while inbox.exists():  # results of what was denied may still be written
        shutil.rmtree(inbox, ignore_errors=True)
    inbox.mkdir()
    (inbox / "good.txt").write_text("1")
    assert "refused" == (await appeared(inbox / "good.txt.result.json"))["status"]


async def appeared(path: Path) -> dict[str, object]:
    """Return what a file says once it is there."""
    async with asyncio.timeout(60):
        while not path.exists():
            await asyncio.sleep(0.05)
    said: dict[str, object] = json.loads(path.read_text())
    return said
