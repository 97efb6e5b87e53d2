"""Who is who: the kernel's user, the token or the connection, and never the name that somebody typed."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.queue import InProcessQueue, QueueFull
from engine.core.sessions.registry import SessionRegistry
from engine.core.submissions.canonical import digest
from engine.core.submissions.idempotency_keys import key_hash
from engine.models import Draft, Grant, Language, Level, MatchMode, Permissions, PreApproval, Principal
from engine.policy.pre_approval import matching_pre_approval
from engine.policy.review import claim, decision_obstacle
from engine.principals.identity import connected_agent
from engine.settings import SandboxSettings, ServerSettings
from tests.engine.policy.test_review import APPROVED, NOW, case_of, review


def principal(name: str, id: str = "", person: str = "") -> Principal:
    """Return a principal."""
    return Principal(name=Untrusted(name), id=id, person=person)


OLGA = principal("olga", "uid:1000", "olga")
LABEL = principal("ci", "uid:1000", "olga")
CI = principal("ci", "token:t-1", "ci")
CI_AGAIN = principal("ci", "token:t-2", "ci")
OWN_TOKEN = principal("olga-laptop", "token:t-3", "olga")
BOB, BOBS_OTHER = principal("bob", "token:t-4", "bob"), principal("night", "token:t-5", "bob")
CLAUDE = connected_agent(OLGA, "a" * 43, "claude")
OTHER_CLAUDE = connected_agent(OLGA, "b" * 43, "claude")
RENAMED_CLAUDE = connected_agent(OLGA, "a" * 43, "ci")
BEFORE = principal("olga")
OTHERS = [
    (OLGA, LABEL),
    (LABEL, CI),
    (CI, CI_AGAIN),
    (CLAUDE, OTHER_CLAUDE),
    (CLAUDE, OLGA),
    (CLAUDE, LABEL),
    (RENAMED_CLAUDE, LABEL),
    (RENAMED_CLAUDE, CI),
    (OWN_TOKEN, OLGA),
    (BEFORE, OLGA),
    (principal("ci", "uid:1001"), LABEL),
    (principal("1000", "uid:"), OLGA),
]
"""Pairs of which neither may act for the other."""
ONE_PERSON = [
    (OLGA, OLGA),
    (OLGA, LABEL),
    (OLGA, OWN_TOKEN),
    (OLGA, CLAUDE),
    (LABEL, OWN_TOKEN),
    (BOB, BOBS_OTHER),
    (CI, CI_AGAIN),
    (BOB, principal("bob", "uid:1001")),
    (OLGA, BEFORE),
    (principal("carol", "uid:1000"), OLGA),
]
"""Pairs behind which one person may be."""


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_no_principal_acts_for_another(one: Principal, other: Principal) -> None:
    """Identity, digest, idempotency keys are different, and the claim of one holds against the other."""
    draft = Draft(code=Untrusted("a = 1"), language=Language.PYTHON)
    assert not one.is_same(other)
    assert not other.is_same(one)
    assert key_hash(one, "k") != key_hash(other, "k")
    assert digest(draft, one) != digest(draft, other)
    assert claim(case_of(Level.HIGH, claim=claim(case_of(Level.HIGH), one, NOW, 60)), other, NOW, 60) is None


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_a_pre_approval_is_for_its_own_requester(one: Principal, other: Principal) -> None:
    """Whoever has, or claims, the name of another requester rests on nothing that was approved for it."""
    case = case_of(Level.HIGH)
    theirs = case.submission.model_copy(update={"requester": other})
    given = PreApproval(
        id="a-1",
        match_mode=MatchMode.EXACT,
        value=case.submission.digest,
        requester=one.name,
        principal=one.id,
        ceiling=Level.HIGH,
        uses=1,
        until=NOW + timedelta(days=1),
        grant=Grant(permissions=Permissions()),
        basis="s-0",
        by=BOB,
        at=NOW,
    )
    own = case.submission.model_copy(update={"requester": one})
    assert matching_pre_approval(case.with_submission(own), [given], NOW) == given
    assert matching_pre_approval(case.with_submission(theirs), [given], NOW) is None


@pytest.mark.parametrize(("one", "other"), ONE_PERSON)
def test_one_person_is_not_two_reviewers(one: Principal, other: Principal) -> None:
    """Nor does a person decide about what they submitted, with another token, label or agent."""
    reviewed = case_of(Level.CRITICAL, reviews=(review(one),))
    own = reviewed.submission.model_copy(update={"requester": other})
    assert decision_obstacle(reviewed, other, APPROVED, two_reviewers=True)
    assert decision_obstacle(case_of(Level.CRITICAL).with_submission(own), one, APPROVED, two_reviewers=True)


def test_two_people_are_two_reviewers() -> None:
    """The owner and the token of somebody else, or two tokens of two people."""
    for one, other in ((OLGA, BOB), (BOB, OLGA), (CI, BOB)):
        case = case_of(Level.CRITICAL, reviews=(review(one),))
        assert decision_obstacle(case, other, APPROVED, two_reviewers=True) is None


def test_an_agents_name_is_nobody_elses() -> None:
    """Whatever its program calls itself, its name ends in a part of its id that no token name can have."""
    for label in ("olga", "ci", "", "a b\u200b\n", "#" * 80, "\u043elga", "x" * 500, "policy"):
        name = connected_agent(OLGA, "a" * 43, label).name.text
        assert name.rpartition("#")[2] == CLAUDE.name.text.rpartition("#")[2]
        assert name.isascii()
        assert len(name) < 64
    assert CLAUDE.is_same(RENAMED_CLAUDE)


async def test_many_names_have_one_place_in_the_queue() -> None:
    """Labels of one user fill their account only, and so do connections; a token has its own."""
    queue = InProcessQueue(ServerSettings(max_pending=100, max_pending_each=3))
    async with asyncio.TaskGroup() as tasks:
        queue_full = 0
        held = asyncio.Event()

        async def hold(by: Principal) -> None:
            nonlocal queue_full
            try:
                async with queue.reserve(by):
                    await held.wait()
            except QueueFull:
                queue_full += 1

        for number in range(50):
            tasks.create_task(hold(principal(f"label-{number}", "uid:1000", "olga")))
            tasks.create_task(hold(connected_agent(OLGA, f"{number:043}", f"agent-{number}")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert 100 - 2 * 3 == queue_full
        async with queue.reserve(CI), queue.reserve(BOB):
            held.set()


def test_many_names_do_not_take_every_session() -> None:
    """Connections of one user have half of the sessions together, and no label of the user takes the rest."""
    registry = SessionRegistry(SandboxSettings(sessions=8, sessions_each=2))
    for number in range(4):
        registry.add(connected_agent(OLGA, f"{number:043}"), Language.PYTHON, "")
    for number in range(4, 20):
        with pytest.raises(Problem, match="sessions already"):
            registry.add(connected_agent(OLGA, f"{number:043}"), Language.PYTHON, "")
    assert BOB == registry.add(BOB, Language.PYTHON, "").owner
    assert OLGA == registry.add(OLGA, Language.PYTHON, "").owner


def test_what_was_signed_before_ids_reads_the_same() -> None:
    """A principal without id or person is written as it always was, and so is its digest."""
    draft = Draft(code=Untrusted("a = 1"), language=Language.PYTHON)
    assert {"name", "roles"} == BEFORE.model_dump(mode="json").keys()
    assert digest(draft, BEFORE) != digest(draft, OLGA)
