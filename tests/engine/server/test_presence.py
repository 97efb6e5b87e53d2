"""Presence: who looks at a submission now, for as long as they do, and no more of it than fits."""

from __future__ import annotations

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.queue import WorkQueue
from engine.core.review import presence
from engine.core.review.presence import MOST_EACH, MOST_LOOKS, PRESENT_SECONDS, Presence
from engine.models import DecisionOutcome, Draft, Language, Principal, Role


def reviewer(name: str) -> Principal:
    """Return a reviewer."""
    return Principal(name=Untrusted(name), roles=frozenset({Role.REVIEWER}), id=f"token:{name}")


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Return a clock."""
    return Clock()


@pytest.fixture
def looks(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Presence:
    """Return the presence of a queue in which everything is open."""
    monkeypatch.setattr(presence, "open_entry", lambda queue, id: None)
    return Presence(WorkQueue, clock)  # type: ignore[arg-type]


def test_two_reviewers_see_each_other_and_nobody_sees_themselves(looks: Presence) -> None:
    """Only of the same submission."""
    assert () == looks.look("s-1", reviewer("ada"))
    assert (Untrusted("ada"),) == looks.look("s-1", reviewer("zoe"))
    assert (Untrusted("zoe"),) == looks.look("s-1", reviewer("ada"))
    assert () == looks.look("s-2", reviewer("ada"))


def test_who_does_not_say_so_again_has_left(looks: Presence, clock: Clock) -> None:
    """A console that was killed is gone after some seconds."""
    looks.look("s-1", reviewer("ada"))
    clock.now = PRESENT_SECONDS - 1
    assert (Untrusted("ada"),) == looks.look("s-1", reviewer("zoe"))
    clock.now = PRESENT_SECONDS + 0.1
    assert () == looks.look("s-1", reviewer("zoe"))


def test_a_flood_is_bounded(looks: Presence) -> None:
    """Of more than fit the earliest is forgotten."""
    for number in range(MOST_LOOKS + 50):
        looks.look(f"s-{number}", reviewer(f"ada-{number}"))
    assert MOST_LOOKS == len(looks._looks)
    assert () == looks.look("s-0", reviewer("zoe"))


def test_one_reviewer_pushes_nobody_out(looks: Presence) -> None:
    """However many submissions one looks at, it is the earliest of their own that is forgotten."""
    looks.look("s-0", reviewer("zoe"))
    for number in range(MOST_LOOKS + 50):
        looks.look(f"s-{number}", reviewer("ada"))
    assert MOST_EACH + 1 == len(looks._looks)
    assert (Untrusted("zoe"),) == looks.look("s-0", reviewer("ada"))


def test_an_agent_is_not_told_who_reviews(looks: Presence) -> None:
    """Only reviewers say and learn it."""
    with pytest.raises(Problem, match="not a reviewer"):
        looks.look("s-1", Principal(name=Untrusted("agent"), id="token:agent"))


async def test_what_is_over_nobody_looks_at(client: Client) -> None:
    """Over HTTP: open submissions only."""
    case = await client.submit(Draft(code=Untrusted("print(1)"), language=Language.PYTHON))
    id = case.submission.id
    assert () == await client.reviews.look(id)
    await client.decide(id, DecisionOutcome.DENIED, case.submission.digest, "no")
    with pytest.raises(Problem, match="is over"):
        await client.reviews.look(id)
