"""The same request twice, over HTTP: keys, twins, and clients that go away."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import WITHDRAWN, DecisionOutcome, Draft, InputFile, Language, Status
from tests.engine_process import EngineProcess

LEASE = "a-holder-of-the-tests"


def draft(code: str) -> Draft:
    """Return a draft that waits for a person."""
    return Draft(code=Untrusted(code), language=Language.PYTHON)


async def test_a_key_makes_one_submission_even_when_used_at_once(client: Client) -> None:
    """Eight requests with one key get the same submission."""
    cases = await asyncio.gather(*(client.submit(draft("print(1)"), key="once") for _ in range(8)))
    assert 1 == len({case.submission.id for case in cases})
    assert 1 == len(await client.queue())


async def test_a_key_with_another_body_is_refused(client: Client) -> None:
    """A key stands for what it came with first, its input files included."""
    await client.submit(draft("print(2)"), key="body")
    others = draft("print(3)"), draft("print(2)").model_copy(update={"files": (FILE,)})
    for other in others:
        with pytest.raises(Problem, match="came with another request"):
            await client.submit(other, key="body")


FILE = InputFile(name=Untrusted("a.txt"), content=b"a")


async def test_a_key_is_its_requesters_own(engine: EngineProcess, client: Client) -> None:
    """Two agents that use the same key do not meet."""
    async with engine.client("another agent") as other:
        first = await client.submit(draft("print(4)"), key="shared")
        second = await other.submit(draft("print(4)"), key="shared")
    assert first.submission.id != second.submission.id


async def test_a_key_survives_the_end_of_the_engine(home: Path) -> None:
    """After `kill -9` the key still answers with what it made, denied or waiting, and joins are kept too."""
    process = EngineProcess(home)
    process.start()
    async with process.client("agent") as client:
        made = (await client.submit(draft("print(5)"), key="durable")).submission
        joined = await client.submit(draft("print(5)"), key="joined", join=True)
        assert made.id == joined.submission.id
        await client.decide(made.id, DecisionOutcome.DENIED, made.digest)
    process.end(signal.SIGKILL)
    process.start()
    try:
        async with process.client("agent") as client:
            for key in ("durable", "joined"):
                again = await client.submit(draft("print(5)"), key=key)
                assert (made.id, Status.DENIED) == (again.submission.id, again.status)
            with pytest.raises(Problem, match="came with another request"):
                await client.submit(draft("print(6)"), key="durable")
    finally:
        process.end()


async def test_without_a_key_the_same_draft_is_another_submission(client: Client) -> None:
    """Only who asks for it joins."""
    first = await client.submit(draft("print(7)"))
    second = await client.submit(draft("print(7)"))
    third = await client.submit(draft("print(7)"), join=True)
    assert first.submission.id != second.submission.id
    assert third.submission.id in {first.submission.id, second.submission.id}


async def test_nobody_withdraws_what_is_not_theirs(engine: EngineProcess, client: Client) -> None:
    """A requester withdraws its own and no other's, once."""
    id = (await client.submit(draft("print(8)"))).submission.id
    async with engine.client("another agent") as other:
        with pytest.raises(Problem, match="not yours"):
            await other.withdraw(id)
    withdrawn = await client.withdraw(id)
    assert withdrawn.decision is not None
    assert (Status.DENIED, WITHDRAWN) == (withdrawn.status, withdrawn.decision.reason.text)
    with pytest.raises(Problem):
        await client.withdraw(id)


async def test_waiting_for_the_end_answers_when_it_comes(client: Client) -> None:
    """A request that waits within a bound is answered by the decision, and at the bound without one."""
    submission = (await client.submit(draft("print(9)"))).submission
    assert Status.PENDING is (await client.case(submission.id, within=0.1)).status
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        later = tasks.create_task(client.case(submission.id, within=50))
        await client.decide(submission.id, DecisionOutcome.DENIED, submission.digest)
    assert Status.DENIED is later.result().status


@contextlib.asynccontextmanager
async def there(client: Client) -> AsyncIterator[None]:
    """Be there as a holder."""
    async with contextlib.aclosing(client.hold_lease(LEASE)) as presence:
        await anext(presence)
        yield


async def test_what_a_client_left_behind_is_withdrawn_and_nothing_else(home: Path) -> None:
    """What only a vanished client wanted is withdrawn; what it did not hold, or another holds, waits on."""
    process = EngineProcess(home, PRATIQUE_SERVER__WITHDRAW_SECONDS="0.3")
    process.start()
    try:
        async with process.client("agent") as client, process.client("agent") as vanishing:
            async with there(vanishing):
                left = await client.submit(draft("print(10)"), lease=LEASE)
                shared = await client.submit(draft("print(11)"), lease=LEASE)
                free = await client.submit(draft("print(12)"))
                await client.submit(draft("print(11)"), join=True, lease=LEASE + "2")
                stays = process.client("agent")
                async with stays, contextlib.aclosing(stays.hold_lease(LEASE + "2")) as presence:
                    await anext(presence)
                    await vanishing.close()
                    over = await client.case(left.submission.id, within=20)
                    pending = {summary.id for summary in await client.queue()}
            assert Status.DENIED is over.status
            assert {shared.submission.id, free.submission.id} == pending
    finally:
        process.end()


async def test_a_client_that_comes_back_in_time_loses_nothing(home: Path) -> None:
    """A short interruption withdraws nothing."""
    process = EngineProcess(home, PRATIQUE_SERVER__WITHDRAW_SECONDS="2")
    process.start()
    try:
        async with process.client("agent") as client:
            async with there(client):
                id = (await client.submit(draft("print(13)"), lease=LEASE)).submission.id
            async with there(client):
                assert Status.PENDING is (await client.case(id, within=2.5)).status
    finally:
        process.end()


@pytest.mark.parametrize("lease", ["short", "x" * 65, "a b c d e f g h i j k l"])
async def test_a_holder_is_a_name_of_chance(client: Client, lease: str) -> None:
    """Names that others could guess, or that are no names, are refused."""
    with pytest.raises(Problem, match="lease"):
        await anext(client.hold_lease(lease))


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("must be relative", ["../x"]),
        ("must be relative", ["/etc/passwd"]),
        ("must be relative", ["a\0b"]),
        ("must be relative", ["a/../../b"]),
        ("\\(no name\\)", [""]),
        ("must be relative", ["a/" * 20 + "b"]),
        ("folder of another", ["a", "a/b"]),
        ("same name", ["a", "a"]),
    ],
)
async def test_input_files_stay_in_the_workspace(client: Client, said: str, names: list[str]) -> None:
    """A name that leads out, or that cannot lie beside another, is refused before anybody reads the code."""
    files = tuple(InputFile(name=Untrusted(name), content=b"1") for name in names)
    with pytest.raises(Problem, match=said):
        await client.submit(draft("print(15)").model_copy(update={"files": files}))
    assert () == await client.queue()
