"""Any of several engines takes any request: what one records the others know, and it happens once."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

import pytest

from engine.analysis_pool import AnalysisPool
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.history.store.open import open_history
from engine.models import (
    Case,
    DecisionOutcome,
    Draft,
    KillReason,
    Language,
    Level,
    MatchMode,
    Principal,
    Role,
    Scope,
    Status,
)
from engine.models.response import BlockKind, BlockTarget
from engine.settings import AnalysisSettings
from tests.engine.core.local_http import http
from tests.engine.core.several_engines import OneOfSeveral, started
from tests.postgres_server import server

AGENT = Principal(name=Untrusted("agent"))
ADA, BOB = (Principal(name=Untrusted(name), roles=frozenset({Role.REVIEWER})) for name in ("ada", "bob"))
APPROVED, DENIED = DecisionOutcome.APPROVED, DecisionOutcome.DENIED
SECONDS = 60.0
TAKEOVER_SECONDS = 10.0


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of an empty database."""
    return server().database(f"of_{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:16]}")


@pytest.fixture
async def both(url: str, tmp_path: Path) -> AsyncIterator[tuple[OneOfSeveral, OneOfSeveral]]:
    """Yield two engines over one database."""
    pool = AnalysisPool(AnalysisSettings())
    async with AsyncExitStack() as closing, asyncio.timeout(SECONDS):
        closing.push_async_callback(pool.close)
        one = await closing.enter_async_context(started(url, tmp_path, "a", pool))
        other = await closing.enter_async_context(started(url, tmp_path, "b", pool))
        yield one, other


async def submitted(engine: Engine, code: str = "print(1)", key: str = "") -> Case:
    """Submit code."""
    draft = Draft(code=Untrusted(code), language=Language.PYTHON)
    return await engine.intake.submit(draft, AGENT, key=key)


async def until(condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    while not condition():
        await asyncio.sleep(0.01)


async def known(engine: Engine, id: str, status: Status = Status.PENDING) -> None:
    """Wait until an engine knows a submission in a state."""
    await until(lambda: (entry := engine.work_queue.find(id)) and entry.case.status is status)


async def decided(engine: Engine, case: Case, outcome: DecisionOutcome, by: Principal = ADA) -> Case:
    """Decide about a submission."""
    return await engine.submissions.decide(
        case.submission.id, by, outcome, case.submission.digest, "no" if outcome is DENIED else ""
    )


Both = tuple[OneOfSeveral, OneOfSeveral]


async def test_what_one_takes_in_another_decides_and_runs(both: Both) -> None:
    """Who follows at the first engine sees decision, output and end of a run at the second."""
    one, other = both
    case = await submitted(one.engine)
    id = case.submission.id
    await known(other.engine, id)
    waiting = asyncio.create_task(one.engine.queries.finished(id))
    await decided(other.engine, case, APPROVED)
    over = await waiting
    assert (Status.FINISHED, 0) == (over.status, over.result and over.result.exit_code)
    assert [1, 0] == [other.machine.executed.total(), one.machine.executed.total()]
    output = b"".join([chunk.data async for chunk in one.engine.queries.output(id)])
    assert b"ran\n" == output
    assert (await one.engine.queries.verify()).intact


async def test_a_request_to_any_engine_knows_what_another_one_answered(both: Both) -> None:
    """A decision that comes to the second engine at once, as behind one address, is no "never was"."""
    one, other = both
    async with http(other.engine, ADA, Scope.REVIEW) as ada:
        for number in range(5):
            submission = (await submitted(one.engine, f"print({number})")).submission
            body = {"outcome": DENIED, "digest": submission.digest, "reason": "no"}
            answer = await ada.post(f"/v1/submissions/{submission.id}/decision", json=body)
            assert (200, DENIED) == (answer.status_code, answer.json()["status"])


async def test_two_who_decide_at_once_make_one_decision(both: Both) -> None:
    """Of an approval and a denial at two engines one is made, and the other is refused."""
    one, other = both
    for number in range(10):
        case = await submitted(one.engine, f"print({number})")
        id = case.submission.id
        await known(other.engine, id)
        ends = await asyncio.gather(
            decided(one.engine, case, APPROVED),
            decided(other.engine, case, DENIED, BOB),
            return_exceptions=True,
        )
        assert 1 == sum(isinstance(end, Problem) for end in ends)
        for each in both:
            await each.engine.queries.finished(id)
        types = Counter(event.type for event in await one.engine.queries.trail(id))
        assert 1 == types["decision.made"]
        assert types["run.started"] == types["run.ended"] == isinstance(ends[0], Case)


async def test_output_of_a_run_elsewhere_is_live_and_it_is_killed_from_here(both: Both) -> None:
    """A reader at the first engine has the output of a run at the second meanwhile, and ends it."""
    one, other = both
    case = await submitted(one.engine, "wait = 1")
    id = case.submission.id
    await known(other.engine, id)
    await decided(other.engine, case, APPROVED)
    await known(one.engine, id, Status.RUNNING)
    async with aclosing(one.engine.queries.output(id)) as output:
        assert b"up\n" == (await anext(output)).data
    await one.engine.runs.kill(id, ADA)
    over = await one.engine.queries.finished(id)
    assert KillReason.OPERATOR is (over.result and over.result.kill_reason)


async def test_a_key_that_comes_to_two_engines_at_once_makes_one_submission(both: Both) -> None:
    """A request that is repeated at another engine returns what the first one made."""
    _, other = both
    cases = await asyncio.gather(*(submitted(each.engine, key="k") for each in both))
    assert 1 == len({case.submission.id for case in cases})
    assert cases[0].submission.id == (await submitted(other.engine, key="k")).submission.id
    with pytest.raises(Problem, match="another request"):
        await submitted(other.engine, "print(2)", key="k")


async def test_a_use_of_a_pre_approval_is_spent_once(both: Both) -> None:
    """The one use that is left approves one of two submissions at two engines."""
    one, other = both
    case = await submitted(one.engine)
    await decided(one.engine, case, APPROVED)
    approved = await one.engine.queries.finished(case.submission.id)
    await one.engine.pre_approvals.create(approved, ADA, MatchMode.EXACT, Level.HIGH, uses=1, days=1)
    await until(other.engine.pre_approvals.listed)
    cases = await asyncio.gather(*(submitted(each.engine) for each in both))
    assert 1 == sum(case.status is Status.PENDING for case in cases)


async def test_a_block_at_one_engine_is_one_at_all(both: Both) -> None:
    """What is blocked at the first engine the second one refuses."""
    one, other = both
    waits = await submitted(other.engine)
    await known(one.engine, waits.submission.id)
    target = BlockTarget(kind=BlockKind.AGENT, value=AGENT.name)
    await one.engine.revocations.block(target, 1, Untrusted("why"), ADA)
    await until(other.engine.blocks.listed)
    assert Status.REFUSED is (await submitted(other.engine, "print(2)")).status
    assert Status.REFUSED is (await other.engine.queries.finished(waits.submission.id)).status


async def test_a_silent_engine_is_taken_over_from(both: Both) -> None:
    """Its run is closed as interrupted; what waits is decided elsewhere; it writes nothing any more."""
    one, other = both
    waits, runs = await submitted(other.engine, "print(2)"), await submitted(other.engine, "wait = 2")
    await decided(other.engine, runs, APPROVED)
    await known(one.engine, runs.submission.id, Status.RUNNING)
    assert other.log.engines
    other.log.engines.close()
    async with asyncio.timeout(TAKEOVER_SECONDS):
        over = await one.engine.queries.finished(runs.submission.id)
    assert KillReason.INTERRUPTED is (over.result and over.result.kill_reason)
    assert Status.DENIED is (await decided(one.engine, waits, DENIED)).status
    with pytest.raises(Exception, match="closed what this one ran"):
        await submitted(other.engine, "print(3)")


async def test_an_engine_that_starts_ends_what_a_dead_one_approved(url: str, tmp_path: Path) -> None:
    """What was approved at an engine that is gone is closed, and what waits is decided, after a start too."""
    pool = AnalysisPool(AnalysisSettings())
    async with AsyncExitStack() as closing, asyncio.timeout(SECONDS):
        closing.push_async_callback(pool.close)
        async with started(url, tmp_path, "a", pool) as gone:
            waits, runs = await submitted(gone.engine, "print(2)"), await submitted(gone.engine, "print(3)")
        log = await open_history(gone.engine.settings.history, tmp_path / "a" / "pratique.db", None)
        approved = runs.model_copy(update={"status": Status.QUEUED})
        await log.append("claim.released", runs.submission.id, ADA.name, {}, case=approved)
        await log.close()
        one = await closing.enter_async_context(started(url, tmp_path, "b", pool))
        assert Status.DENIED is (await decided(one.engine, waits, DENIED)).status
        async with asyncio.timeout(TAKEOVER_SECONDS):
            over = await one.engine.queries.finished(runs.submission.id)
        assert KillReason.INTERRUPTED is (over.result and over.result.kill_reason)
        types = Counter(event.type for event in await one.engine.queries.trail(runs.submission.id))
        assert 1 == types["run.ended"]


async def test_a_token_that_one_engine_made_another_one_knows_and_revokes(both: Both) -> None:
    """What is made or revoked at one engine holds at all; none of two changes at once is lost."""
    one, other = both
    made = await one.engine.tokens.create("bot", (Scope.SUBMIT,), 1, ADA)
    await until(lambda: other.engine.tokens.known(made.secret))
    ended = asyncio.create_task(one.engine.tokens.ended(made.token))
    await other.engine.revocations.revoke_token(made.token.id, ADA)
    await ended
    assert one.engine.tokens.known(made.secret) is None


async def test_a_secret_is_everywhere(both: Both) -> None:
    """A secret that is set at one engine can be granted at another; the database has it sealed."""
    one, other = both
    await one.engine.secrets.set("API_KEY", "api.test", "x" * 20, ADA)
    await until(other.engine.secrets.listed)
    assert one.log.engines
    version, content = await one.log.engines.file("secrets.json")
    assert (1, True) == (version, b"x" * 20 in content)


async def test_two_engines_revive_one_submission_once(both: tuple[OneOfSeveral, OneOfSeveral]) -> None:
    """One of them makes it wait again; the other one says so, and nothing waits twice."""
    engines = [each.engine for each in both]
    id = (await submitted(engines[0])).submission.id
    entry = engines[0].work_queue.find(id)
    assert entry is not None
    await engines[0].submissions.expired(entry)
    await until(lambda: engines[1].work_queue.find(id) is None)
    made = await asyncio.gather(*(each.revivals.revive(id, ADA) for each in engines), return_exceptions=True)
    (new,) = [each.submission.id for each in made if isinstance(each, Case)]
    assert [409] == [each.status for each in made if isinstance(each, Problem)]
    await known(engines[0], new)
    await known(engines[1], new)
    assert [[new], [new]] == [[entry.id for entry in each.work_queue] for each in engines]
