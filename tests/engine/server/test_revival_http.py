"""What expired waits again as a new submission, over HTTP and the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, Draft, Language, Status
from tests.engine_process import EngineProcess

DRAFT = Draft(code=Untrusted("total = 1\nprint(total)\n"), language=Language.PYTHON, purpose=Untrusted("Add"))
SECONDS = 30


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Return an engine with which everything expires after a second and a half."""
    process = EngineProcess(
        tmp_path_factory.mktemp("home"), PRATIQUE_POLICY__DEADLINES='{"high": 1.5, "critical": 1.5}'
    )
    process.start()
    yield process
    process.end()


async def expired(client: Client) -> Case:
    """Return the case of a submission that nobody decided about."""
    submitted = await client.submit(DRAFT)
    case = await client.case(submitted.submission.id, within=10)
    assert Status.EXPIRED is case.status
    return case


async def test_what_expired_waits_again_and_its_agent_gets_the_answer(hasty: EngineProcess) -> None:
    """The new one has the same digest; both name each other, and the same request gets its answer."""
    async with hasty.client("agent") as client, asyncio.timeout(SECONDS):
        old = await expired(client)
        new = await client.reviews.revive(old.submission.id)
        id = new.submission.id
        await client.reviews.extend(id)
        assert (old.submission.digest, old.submission.id) == (new.submission.digest, new.submission.revives)
        assert id == (await client.case(old.submission.id)).revived_as
        assert () == await client.reviews.expired()
        same = await client.submit(DRAFT, join=True, until_delivered=True)
        assert id == same.submission.id
        await client.decide(id, DecisionOutcome.DENIED, new.submission.digest, "too late")
        same = await client.submit(DRAFT, join=True, until_delivered=True)
        assert (id, Status.DENIED) == (same.submission.id, same.status)
        assert "submission.revived" in [each.type for each in await client.history.events(old.submission.id)]


async def test_each_is_revived_once_even_by_two_reviewers_at_a_time(hasty: EngineProcess) -> None:
    """The second one is told as which submission it waits; what is pending cannot be revived."""
    async with hasty.client("agent") as client, asyncio.timeout(SECONDS):
        id = (await expired(client)).submission.id
        made = await asyncio.gather(*(client.reviews.revive(id) for _ in range(5)), return_exceptions=True)
        (new,) = [each.submission.id for each in made if isinstance(each, Case)]
        refused = [str(each) for each in made if isinstance(each, Problem)]
        assert [True] * 4 == [each.startswith(f"{id} was revived as {new}") for each in refused]
        with pytest.raises(Problem, match="did not expire: it is pending"):
            await client.reviews.revive(new)
        await client.withdraw(new)


async def test_the_command_line_revives(
    hasty: EngineProcess, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`pratique revive` prints what to type to approve the new submission."""
    monkeypatch.setenv("PRATIQUE_HOME", str(hasty.home))
    async with hasty.client("agent") as client, asyncio.timeout(SECONDS):
        old = await expired(client)
        assert ExitCode.OK == await asyncio.to_thread(main, ["revive", old.submission.id])
        (new,) = [each.summary.id for each in await client.reviews.queue()]
        expected = f"{old.submission.id} waits again as {new}: pratique approve {new}\n"
        assert expected == capsys.readouterr().out
        await client.withdraw(new)
