"""What cannot be granted is named before a key is pressed, and is not granted by mistake."""

from __future__ import annotations

from console.review.approve import ApproveScreen
from console.review.ungrantable import listed, ungrantable
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Package, Permissions
from tests.console.review.test_answer import plain
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import open_console, press, until

HASH = "sha256:" + "0" * 64
WANTED = Permissions(
    domains=(Untrusted("api.example.org"), Untrusted("*")),
    packages=(
        Package(name=Untrusted("numpy"), version=Untrusted("2.1.0"), hashes=(HASH,)),
        Package(name=Untrusted("nunpy"), version=Untrusted("9.9.9")),
    ),
    session=True,
)


def test_what_the_engine_refuses_has_a_reason() -> None:
    """A package without hashes, a pattern of every host, and a session without a name; nothing else."""
    found = ungrantable(case("s-1", "one()", wanted=WANTED).submission.draft)
    assert {("packages", 1), ("domains", 1), ("session", 0)} == set(found)
    assert all(found.values())
    assert {} == ungrantable(case("s-2", "one()").submission.draft)


def test_each_is_named_where_the_reasons_do_not_fit() -> None:
    """On a narrow screen none of them is cut off."""
    draft = case("s-1", "one()", wanted=WANTED).submission.draft
    assert "nunpy, *, a session: left out" == listed(draft, 60)
    assert "nunpy (no such package" in listed(draft, 200)
    assert "" == listed(case("s-2", "one()").submission.draft, 60)


async def test_it_is_named_on_the_first_screen_and_left_out_of_the_approval() -> None:
    """The rest can still be approved."""
    engine = FakeEngine(case("s-1", "one()", wanted=WANTED))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: "Cannot be granted nunpy" in plain(app))
        await until(pilot, lambda: not app.screen.obstacle)  # type: ignore[attr-defined]
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: isinstance(app.screen, ApproveScreen) and app.screen.delay.over)
        assert "cannot be granted" in plain(app)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: bool(engine.decided))
    _, outcome, _, _, grant = engine.decided[0]
    assert outcome is DecisionOutcome.APPROVED
    assert grant is not None
    assert WANTED.packages[:1] == grant.permissions.packages
    assert WANTED.domains[:1] == grant.permissions.domains
    assert not grant.permissions.session
