"""The review queue with reasons, what expired, and more time, over HTTP and the command line."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Draft, Language, Level, Permissions, Status, Verdict
from tests.engine_process import EngineProcess

PROVEN = Draft(
    code=Untrusted("total = 1\nprint(total)\n"), language=Language.PYTHON, purpose=Untrusted("Add")
)
RENAMED = Draft(code=Untrusted("s = 1  # sum\nprint(s)\n"), language=Language.PYTHON)
NETWORK = Draft(
    code=Untrusted("import urllib.request\nurllib.request.urlopen('https://api.example.com')\n"),
    language=Language.PYTHON,
    permissions=Permissions(domains=(Untrusted("api.example.com"),)),
)
SECONDS = 30


async def test_the_queue_says_why_and_what_belongs_together(client: Client) -> None:
    """The gravest is first, each with its reason; code that differs in names alone is one group."""
    for draft in (PROVEN, RENAMED, NETWORK):
        await client.submit(draft)
    first, *rest = await client.reviews.queue()
    assert Level.CRITICAL is first.summary.risk
    assert "api.example.com" in first.level_reason.text
    assert 1 == first.asks
    one, other = rest
    assert (Verdict.HARMLESS, Verdict.HARMLESS) == (one.verdict, other.verdict)
    assert one.group == other.group != first.group
    assert one.identical != other.identical
    assert {"Add", ""} == {entry.purpose.text for entry in rest}


async def test_some_of_the_queue_is_listed_by_id(client: Client) -> None:
    """What is over, or never was, is left out; the order is that of the whole queue."""
    first, second, _ = [(await client.submit(draft)).submission.id for draft in (PROVEN, NETWORK, RENAMED)]
    every = await client.reviews.queue()
    expected = tuple(each for each in every if each.summary.id in {first, second})
    assert expected == await client.reviews.queue((first, second, "s-none"))
    await client.withdraw(first)
    assert expected[:1] == await client.reviews.queue((first, second))


async def test_a_claim_is_shown_and_stops_the_clock(client: Client) -> None:
    """The entry names who has it; the deadline lies behind the claim's end by what was left."""
    case = await client.submit(PROVEN)
    held = await client.claim(case.submission.id)
    (entry,) = await client.reviews.queue()
    assert held.claim == entry.claim
    assert held.claim is not None
    assert held.claim.clock is not None
    assert held.deadline is not None
    assert abs((held.deadline - held.claim.until).total_seconds() - held.claim.clock) < SECONDS
    released = await client.release(case.submission.id)
    assert released.deadline is not None
    assert released.deadline < held.deadline
    (entry,) = await client.reviews.queue()
    assert entry.claim is None


async def test_more_time_is_given_recorded_and_bounded(client: Client) -> None:
    """Each extension is an event; when all was given, the answer says so."""
    case = await client.submit(PROVEN)
    id, before = case.submission.id, case.deadline
    longer = await client.reviews.extend(id)
    assert before is not None
    assert longer.deadline is not None
    assert 590 < (longer.deadline - before).total_seconds() < 610
    given = await asyncio.gather(*(client.reviews.extend(id) for _ in range(50)), return_exceptions=True)
    assert all("which is all" in str(one) for one in given if isinstance(one, BaseException))
    assert any(isinstance(one, Problem) for one in given)
    events = [event.type for event in await client.history.events(id)]
    assert 2 < events.count("submission.extended") < 50
    assert datetime.now(UTC) < longer.deadline


async def test_what_expired_is_listed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A reviewer who comes back finds what nobody decided, and gives it no more time."""
    process = EngineProcess(
        tmp_path_factory.mktemp("home"), PRATIQUE_POLICY__DEADLINES='{"high": 0.1, "critical": 0.1}'
    )
    process.start()
    try:
        async with process.client("agent") as client, asyncio.timeout(SECONDS):
            case = await client.submit(PROVEN)
            await client.case(case.submission.id, within=10)
            (entry,) = await client.reviews.expired()
            assert (case.submission.id, Status.EXPIRED) == (entry.summary.id, entry.summary.status)
            with pytest.raises(Problem, match="is over"):
                await client.reviews.extend(case.submission.id)
    finally:
        process.end()


async def test_the_command_line_gives_more_time_and_lists(
    client: Client, engine: EngineProcess, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`pratique extend` prints the new deadline; `pratique expired` says when there is nothing."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    case = await client.submit(PROVEN)
    assert ExitCode.OK == await asyncio.to_thread(main, ["extend", case.submission.id])
    assert f"{case.submission.id}: expires at " in capsys.readouterr().out
    assert ExitCode.OK == await asyncio.to_thread(main, ["expired"])
    assert "Nothing expired" in capsys.readouterr().out
