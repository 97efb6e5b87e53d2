"""What waits under a token ends with it, also what was under way when it was revoked."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.config.token_store import TokenStore
from engine.history.chain.signing_key import signing_key
from engine.models import Case, DecisionOutcome, Draft, Language, NewToken, Principal, Role, Scope, Status
from engine.models.session import SessionState
from engine.principals import KeyRing, agent_files, tokens
from engine.principals.identity import token_holder
from tests.engine.core.conftest import EngineMaker

ADMIN = Principal(name=Untrusted("root-of-all"), roles=frozenset({Role.ADMIN}))
CODE = "import os\nos.remove('x')\n"


@pytest.fixture
async def engine(engine_with: EngineMaker, no_docker: None) -> AsyncIterator[Engine]:
    """Return an engine that runs nothing."""
    async with engine_with() as made:
        yield made


async def agent(engine: Engine, name: str = "ci") -> tuple[NewToken, Principal]:
    """Return a new token and the principal that it authenticates."""
    made = await engine.tokens.create(name, (Scope.SUBMIT,), 1, ADMIN)
    return made, token_holder(made.token)


async def submitted(engine: Engine, by: Principal, code: str = CODE) -> Case:
    """Return a case of code that has to wait."""
    return await engine.submissions.submit(Draft(code=Untrusted(code), language=Language.PYTHON), by)


def outcome(case: Case) -> tuple[Status, str]:
    """Return how a case ended, and why."""
    return case.status, case.decision.reason.text if case.decision else ""


WITHDRAWN = (Status.DENIED, "the token of its requester was revoked")


async def test_what_waits_under_a_token_ends_with_it_and_nothing_else(engine: Engine) -> None:
    """Another token of the same name, and the owner, keep what waits."""
    made, one = await agent(engine)
    _, same_name = await agent(engine)
    mine, other, owners = [await submitted(engine, by) for by in (one, same_name, ADMIN)]
    await engine.revocations.revoke_token(made.token.id, ADMIN)
    assert WITHDRAWN == outcome(await engine.queries.case(mine.submission.id))
    for case in (other, owners):
        assert Status.PENDING is (await engine.queries.case(case.submission.id)).status
    assert (await engine.queries.verify()).intact


@pytest.mark.parametrize("steps", [0, 1, 2, 5, 20, 100])
async def test_what_is_under_way_does_not_stay(engine: Engine, steps: int) -> None:
    """A submission that is analysed or recorded while its token is revoked waits for nobody."""
    made, by = await agent(engine)
    submitting = asyncio.create_task(submitted(engine, by))
    for _ in range(steps):
        await asyncio.sleep(0)
    await engine.revocations.revoke_token(made.token.id, ADMIN)
    assert WITHDRAWN == outcome(await submitting)
    assert 0 == engine.work_queue.pending


async def test_many_under_way_do_not_stay(engine: Engine) -> None:
    """However their steps and the revocation interleave."""
    made, by = await agent(engine)
    submitting = [asyncio.create_task(submitted(engine, by, f"{CODE}# {n}\n")) for n in range(12)]
    await asyncio.wait(submitting, return_when=asyncio.FIRST_COMPLETED)
    await engine.revocations.revoke_token(made.token.id, ADMIN)
    assert {WITHDRAWN} == {
        outcome(await engine.queries.case((await one).submission.id)) for one in submitting
    }


async def test_an_engine_that_ended_in_between_withdraws_at_its_start(
    engine_with: EngineMaker, no_docker: None
) -> None:
    """The revocation is on disk before anything is withdrawn."""
    async with engine_with() as first:
        made, by = await agent(first)
        id = (await submitted(first, by)).submission.id
        await first.tokens.revoke(made.token.id, ADMIN)
        assert Status.PENDING is (await first.queries.case(id)).status
    async with engine_with() as second:
        assert WITHDRAWN == outcome(await second.queries.case(id))


async def test_an_unreadable_file_of_tokens_withdraws_nothing(
    engine_with: EngineMaker, no_docker: None, home: Path
) -> None:
    """It lets nobody in; what waits is not lost by it."""
    async with engine_with() as first:
        _, by = await agent(first)
        id = (await submitted(first, by)).submission.id
    for file in home.rglob("tokens.json"):
        file.write_text("{")
    async with engine_with() as second:
        assert Status.PENDING is (await second.queries.case(id)).status


async def test_its_sessions_close_with_it_and_no_others(engine: Engine) -> None:
    """A session of a token that is revoked is closed, and nothing is submitted to it."""
    made, one = await agent(engine)
    _, other = await agent(engine)
    mine, theirs = [await engine.sessions.create(by, Language.PYTHON) for by in (one, other)]
    waiting = await engine.sessions.execute(mine.id, one, "print(1)")
    await engine.revocations.revoke_token(made.token.id, ADMIN)
    assert SessionState.CLOSED is engine.sessions.get(mine.id, one).state
    assert SessionState.CLOSED is not engine.sessions.get(theirs.id, other).state
    assert WITHDRAWN == outcome(await engine.queries.case(waiting.submission.id))
    with pytest.raises(Problem, match="the token of its owner was revoked"):
        await engine.sessions.execute(mine.id, one, "print(2)")


async def test_a_session_that_is_being_made_is_closed(engine: Engine) -> None:
    """It is not left to whoever has no token any more."""
    made, by = await agent(engine)
    creating = asyncio.create_task(engine.sessions.create(by, Language.PYTHON))
    await asyncio.sleep(0)
    await engine.revocations.revoke_token(made.token.id, ADMIN)
    assert SessionState.CLOSED is engine.sessions.get((await creating).id, by).state


async def test_a_decided_submission_is_left_as_it_is(engine: Engine) -> None:
    """What was denied before stays as its reviewer decided."""
    made, by = await agent(engine)
    case = await submitted(engine, by)
    reviewer = Principal(name=Untrusted("rita"), roles=frozenset({Role.REVIEWER}))
    await engine.submissions.decide(
        case.submission.id, reviewer, DecisionOutcome.DENIED, case.submission.digest, "no"
    )
    await engine.revocations.revoke_token(made.token.id, ADMIN)
    assert (Status.DENIED, "no") == outcome(await engine.queries.case(case.submission.id))


async def test_a_revoked_token_is_gone_for_the_next_engine(engine: Engine) -> None:
    """Its file is written before the revocation is answered."""
    made, _ = await agent(engine)
    await engine.revocations.revoke_token(made.token.id, ADMIN)
    assert None is TokenStore(engine.tokens._path, engine._events).known(made.secret)


class Disk:
    """What a loss of power would leave: which files and folders were synced, and after what."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: list[str] = []
        fsync, replace, link = os.fsync, os.replace, os.link

        def synced(descriptor: int) -> None:
            kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
            self.steps.append(f"sync {kind}")
            fsync(descriptor)

        def named(do: Callable[..., None]) -> Callable[..., None]:
            def step(*arguments: object) -> None:
                self.steps.append("name")
                do(*arguments)

            return step

        monkeypatch.setattr(os, "fsync", synced)
        monkeypatch.setattr(os, "replace", named(replace))
        monkeypatch.setattr(os, "rename", named(os.rename))
        monkeypatch.setattr(os, "link", named(link))


WRITES: dict[str, Callable[[Path], object]] = {
    "tokens": lambda folder: tokens.write(folder / "tokens.json", ()),
    "the key of a new history": lambda folder: signing_key(folder / "pratique.key"),
    "a reviewer's key": lambda folder: KeyRing(folder).key(ADMIN),
    "the token of a registered agent": lambda folder: agent_files.save(folder, "ci", "secret"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_loss_of_power_brings_nothing_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], object]
) -> None:
    """Every file is synced before it has its name, and its folder after that."""
    disk = Disk(monkeypatch)
    write(tmp_path)
    assert disk.steps
    assert ["sync file", "name", "sync folder"] * (len(disk.steps) // 3) == disk.steps
