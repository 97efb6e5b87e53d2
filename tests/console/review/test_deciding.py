"""A decision leaves the reviewer free for the next submission, and is never lost."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from console.app.state import counts
from console.code_view.view import CodeView
from console.review.deny import DenyScreen
from console.review.queue.listing import QueueList
from console.review.screen import ReviewScreen
from console.review.violations import ViolationList
from engine.common.errors import Problem
from engine.models import Case, DecisionOutcome, Level
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, case, span, violation
from tests.console.support.harness import frame, open_console, press, until

SLOW = Preferences(undo_seconds=30)
LONG = "\n".join(f"print({number})" for number in range(300))


async def deny(app: ConsoleApp, pilot: Pilot[Any], reason: str = "no") -> None:
    """Deny the submission on screen."""
    await press(pilot, "d")
    await until(pilot, lambda: isinstance(app.screen, DenyScreen))
    await press(pilot, *reason, "enter")


def listed(app: ConsoleApp) -> QueueList:
    """Return the queue on screen."""
    assert isinstance(app.screen, ReviewScreen)
    return app.screen.query_one(QueueList)


def shown(app: ConsoleApp) -> str:
    """Return the ID under the cursor of the queue."""
    chosen = listed(app).chosen
    return chosen.id if chosen else ""


async def test_the_next_submission_is_there_while_a_decision_can_be_undone() -> None:
    """What was decided leaves the list at once, and comes back selected when it is undone."""
    engine = FakeEngine(case("s-1", "1"), case("s-2", "2"), case("s-3", "3"))
    async with open_console(engine, preferences=SLOW) as (app, pilot):
        await press(pilot, "right_square_bracket")
        await until(pilot, lambda: shown(app) == "s-2")
        await deny(app, pilot)
        await until(pilot, lambda: shown(app) == "s-3")
        assert [] == engine.decided
        assert 2 == listed(app).count
        await press(pilot, "u")
        await until(pilot, lambda: shown(app) == "s-2" and listed(app).count == 3)
        assert [] == engine.decided


async def test_what_can_be_undone_is_counted_neither_as_pending_nor_as_running() -> None:
    """The header says what the list says, and counts it again when it is undone."""
    engine = FakeEngine(case("s-1", "1"), case("s-2", "2"))
    async with open_console(engine, preferences=SLOW) as (app, pilot):
        await until(pilot, lambda: "2 pending" in plain(app))
        await deny(app, pilot)
        await until(pilot, lambda: "1 pending" in plain(app))
        assert (1, 0) == counts(app)
        await press(pilot, "u")
        await until(pilot, lambda: "2 pending" in plain(app))


async def test_a_sent_decision_is_told_once_the_first_output_had_its_time() -> None:
    """The bar stays where it is and says that it is sent; then it goes, and a notice says what came of it."""
    engine = FakeEngine(case("s-1", "1"), case("s-2", "2"))
    async with open_console(engine, preferences=SLOW) as (app, pilot):
        await deny(app, pilot)
        await until(pilot, lambda: "F7 send now" in frame(app))
        await press(pilot, "f7")
        await until(pilot, lambda: "Sent." in frame(app))
        await until(pilot, lambda: any(each.message == "s-1 denied" for each in app._notifications))
        await until(pilot, lambda: "Sent." not in frame(app))


async def test_what_is_undone_is_never_said_to_be_sent() -> None:
    """The bar goes at once; it stays only for a decision that was sent."""
    async with open_console(FakeEngine(case("s-1", "1")), preferences=SLOW) as (app, pilot):
        await deny(app, pilot)
        await until(pilot, lambda: "F7 send now" in frame(app))
        await press(pilot, "u")
        frames: list[str] = []

        def gone() -> bool:
            frames.append(frame(app))
            return "F7 send now" not in frames[-1]

        await until(pilot, gone)
        assert [] == [each for each in frames if "Sent." in each]


async def test_quitting_sends_the_decision_that_can_still_be_undone() -> None:
    """Nobody has to wait for the end of the undo time before closing the console."""
    engine = FakeEngine(case("s-1", "1"))
    async with open_console(engine, preferences=SLOW) as (app, pilot):
        await deny(app, pilot, "no")
        await until(pilot, lambda: bool(app.decisions and app.decisions.held))
        await press(pilot, "ctrl+q")
        await until(pilot, lambda: not app.is_running)
    assert [("s-1", DecisionOutcome.DENIED, "no")] == [(one[0], one[1], one[3]) for one in engine.decided]


async def test_quitting_asks_where_the_engine_does_not_respond() -> None:
    """A decision that cannot be sent keeps the console open; a second ctrl+q closes it."""
    engine = FakeEngine(case("s-1", "1"))
    async with open_console(engine, preferences=SLOW) as (app, pilot):
        await deny(app, pilot)
        await until(pilot, lambda: bool(app.decisions and app.decisions.held))
        engine.lost.set()
        await until(pilot, lambda: app.connection_state == "offline")
        await press(pilot, "ctrl+q")
        await until(pilot, lambda: bool(app.decisions and app.decisions.waiting))
        assert app.is_running
        await press(pilot, "ctrl+q")
        await until(pilot, lambda: not app.is_running)


async def test_a_decision_waits_for_an_engine_that_is_restarted() -> None:
    """Made while the engine was away, it is sent once the engine is back."""
    engine = FakeEngine(case("s-1", "1"))
    async with open_console(engine) as (app, pilot):
        engine.lost.set()
        await until(pilot, lambda: app.connection_state == "offline")
        await deny(app, pilot)
        await until(pilot, lambda: bool(app.decisions and app.decisions.waiting))
        assert [] == engine.decided
        engine.lost.clear()
        await until(pilot, lambda: len(engine.decided) == 1)


async def test_consoles_stay_open_beside_an_engine_that_stops() -> None:
    """A decision whose time to undo it ends meanwhile is told, kept, and sent once the engine is back."""
    engine = FakeEngine(case("s-1", "1"))
    async with (
        open_console(engine, preferences=Preferences(undo_seconds=1)) as (app, pilot),
        open_console(engine) as (other, beside),
    ):
        await deny(app, pilot, "no")
        engine.lost.set()
        await until(pilot, lambda: {app.connection_state, other.connection_state} == {"offline"})
        await until(pilot, lambda: bool(app.decisions and app.decisions.waiting))
        await until(pilot, lambda: "Not sent yet: the decision about s-1." in frame(app))
        assert [] == engine.decided
        engine.lost.clear()
        await until(pilot, lambda: len(engine.decided) == 1)
        await until(beside, lambda: not other.queue)
    assert ["no"] == [one[3] for one in engine.decided]


class Refusing(FakeEngine):
    """Refuses every decision."""

    async def decide(self, *arguments: Any, **_: Any) -> Case:
        """Refuse."""
        raise Problem(409, f"{arguments[0]} was changed")


async def test_a_refused_decision_puts_its_submission_back() -> None:
    """What the engine does not take is pending as before, and the reviewer is told."""
    async with open_console(Refusing(case("s-1", "1"))) as (app, pilot):
        await deny(app, pilot)
        await until(pilot, lambda: any("was changed" in each.message for each in app._notifications))
        await until(pilot, lambda: shown(app) == "s-1")


async def test_the_gravest_violation_is_selected_and_in_view() -> None:
    """Not the first in the code; and who comes back finds the place that was left."""
    found = (
        violation(span(1, 1, 6), level=Level.LOW),
        violation(span(250, 1, 6), level=Level.CRITICAL),
        violation(span(280, 1, 6)),
    )
    engine = FakeEngine(case("s-1", LONG, violations=found), case("s-2", LONG))
    async with open_console(engine) as (app, pilot):
        view = app.screen.query_one(CodeView)
        await until(pilot, lambda: view.current == 1)
        assert 220 < view.scroll_offset.y < 250
        await press(pilot, "n")
        view.go_to(20)
        await until(pilot, lambda: view.scroll_offset.y < 20)
        place = view.scroll_offset.y
        await press(pilot, "right_square_bracket")
        await until(pilot, lambda: shown(app) == "s-2" and view.current is None)
        await press(pilot, "left_square_bracket")
        await until(pilot, lambda: view.current == 2 and view.scroll_offset.y == place)
        assert 2 == app.screen.query_one(ViolationList).cursor


async def test_what_expired_cannot_be_approved() -> None:
    """At the end of its time the console says so instead of offering the key."""
    async with open_console(FakeEngine(case("s-1", "1", seconds=-1))) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, ReviewScreen)
        await until(pilot, lambda: "expired" in screen.obstacle)
