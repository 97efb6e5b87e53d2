"""A queue that is worked: sorted, filtered, marked and decided in bulk."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.review.approve import ApproveScreen
from console.review.deny import DenyScreen
from console.review.queue.listing import QueueList
from console.review.queue.marked import identical
from console.review.queue.order import Order, arranged, fits
from console.review.screen import ReviewScreen
from console.safety.key_guard import TYPING_SECONDS
from console.safety.text import content
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Case, Claim, DecisionOutcome, Language, Level, Permissions
from tests.console.review.test_deciding import listed, shown
from tests.console.support.fake_engine import FakeEngine, case, span, summary, violation
from tests.console.support.harness import frame, open_console, press, until
from tests.console.support.late_engine import LateEngine

FOUND = (violation(span(1, 1, 2), level=Level.CRITICAL), violation(span(1, 1, 2), level=Level.LOW))


def queue() -> tuple[Case, ...]:
    """Return five submissions of two agents, as an engine would list them."""
    return (
        case("s-1", "one()", who="zoe", level=Level.CRITICAL, violations=FOUND),
        case("s-2", "two()", who="ada"),
        case("s-3", "three()", who="zoe"),
        case("s-4", "four()", who="ada", level=Level.MEDIUM),
        case("s-5", "five()", who="ada", level=Level.MEDIUM),
    )


def ids(rows: QueueList) -> list[str]:
    """Return the IDs in the order of the list."""
    return [each.id for each in rows._summaries]


async def test_the_list_is_sorted_by_priority_then_age_then_agent() -> None:
    """By priority is as the engine says; the cursor stays on its submission."""
    async with open_console(FakeEngine(*queue())) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 5)
        await press(pilot, "right_square_bracket", "o", "o")
        assert ["s-2", "s-4", "s-5", "s-1", "s-3"] == ids(rows)
        assert "s-2" == shown(app)
        await until(pilot, lambda: "by agent" in frame(app))
        await press(pilot, "o")
        assert ["s-1", "s-2", "s-3", "s-4", "s-5"] == ids(rows)


async def test_a_typed_filter_narrows_the_list_and_esc_clears_it() -> None:
    """Text, level and agent can be combined; the submission on screen is one that fits."""
    async with open_console(FakeEngine(*queue())) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 5)
        await press(pilot, "f", *"agent:ada level:med")
        await until(pilot, lambda: ids(rows) == ["s-4", "s-5"])
        await until(pilot, lambda: "four()" in frame(app) and "2 of 5" in frame(app))
        await press(pilot, "enter")
        assert None is app.focused
        assert 2 == rows.count
        await press(pilot, "escape")
        await until(pilot, lambda: rows.count == 5)


async def test_marked_submissions_are_assigned_and_found_by_their_reviewer() -> None:
    """To me unless another name is typed; the row, the header and the filter know it."""
    async with open_console(FakeEngine(*queue())) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 5)
        await press(pilot, "A", "enter")
        await until(pilot, lambda: "Assigned to" in frame(app))
        await press(pilot, "right_square_bracket", "e", "A", *(["backspace"] * 2), *"zoe", "enter")
        await until(pilot, lambda: frame(app).count("to zoe") >= 1)
        await press(pilot, "f", *"assigned:me")
        await until(pilot, lambda: ids(rows) == ["s-1"])
        await press(pilot, *(["backspace"] * 2), *"zo")
        await until(pilot, lambda: ids(rows) == ["s-2"])
        await press(pilot, *(["backspace"] * 2), *"nobody")
        await until(pilot, lambda: ids(rows) == ["s-3", "s-4", "s-5"])


async def test_the_header_says_who_else_has_it_on_screen() -> None:
    """While they do; another submission begins without them."""
    engine = FakeEngine(*queue())
    engine.reviews.present = (Untrusted("zoe\x1b[31m"),)
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: "Also on screen of" in frame(app))
        engine.reviews.present = ()
        await until(pilot, lambda: "Also on screen of" not in frame(app))


@given(st.text(max_size=30))
def test_a_filter_never_fails_and_never_adds(words: str) -> None:
    """Whatever is typed, what is listed is part of the queue, in its order."""
    every = [summary(each) for each in queue()]
    found = arranged(every, Order.PRIORITY, words)
    assert list(found) == [each for each in every if fits(each, words)]


async def test_marked_submissions_are_denied_together_with_one_reason() -> None:
    """The sheet names them; undo brings all of them back, sending denies each."""
    engine = FakeEngine(*queue())
    async with open_console(engine) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 5)
        await press(pilot, "e", "e", "d")
        await until(pilot, lambda: isinstance(app.screen, DenyScreen))
        assert "Deny 2 submissions" in frame(app)
        await press(pilot, *"flood", "enter")
        await until(pilot, lambda: len(engine.decided) == 2)
        assert [("s-1", DecisionOutcome.DENIED, "flood"), ("s-2", DecisionOutcome.DENIED, "flood")] == [
            (one[0], one[1], one[3]) for one in engine.decided
        ]
        await until(pilot, lambda: rows.count == 3 and shown(app) == "s-3")
        assert () == rows.marked


async def test_marks_of_different_code_approve_nothing() -> None:
    """The key of an approval is about the submission on screen, and what is identical to it."""
    engine = FakeEngine(*queue())
    async with open_console(engine) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 5)
        await press(pilot, "E")
        assert 5 == len(rows.marked)
        await until(pilot, lambda: not app.screen.obstacle or app.screen.unread)  # type: ignore[attr-defined]
        await press(pilot, "ctrl+y")
        assert not isinstance(app.screen, ApproveScreen)
        assert [] == engine.decided


async def test_identical_submissions_are_approved_together() -> None:
    """One key marks what is identical but for its agent; each gets its own decision, with one record."""
    same = [case(f"s-{number}", "one()", who=who) for number, who in enumerate(("zoe", "ada", "ada"))]
    engine = FakeEngine(*same, case("s-9", "two()"))
    async with open_console(engine) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 4)
        await press(pilot, "equals_sign")
        assert ["s-0", "s-1", "s-2"] == [each.id for each in rows.marked]
        await until(pilot, lambda: not app.screen.obstacle)  # type: ignore[attr-defined]
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: isinstance(app.screen, ApproveScreen) and app.screen.delay.over)
        assert "2 equivalent submissions of ada" in frame(app)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: len(engine.decided) == 3)
        approved = {id: digest for id, outcome, digest, *_ in engine.decided if outcome.value == "approved"}
        assert {each.submission.id: each.submission.digest for each in same} == approved


async def test_the_record_of_an_equivalent_one_names_what_was_on_screen() -> None:
    """Other bytes of the same structure are approved with it; that they were not displayed is recorded."""
    engine = FakeEngine(case("s-1", "one()"), case("s-2", "one()  # other"), case("s-3", "two()"))
    engine.reviews.groups = {"s-1": "a" * 64, "s-2": "a" * 64}
    async with open_console(engine) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 3)
        await press(pilot, "equals_sign")
        assert ["s-1", "s-2"] == [each.id for each in rows.marked]
        await until(pilot, lambda: not app.screen.obstacle)  # type: ignore[attr-defined]
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: isinstance(app.screen, ApproveScreen) and app.screen.delay.over)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: len(engine.decided) == 2)
        records = dict(zip((one[0] for one in engine.decided), engine.review_records, strict=True))
        named = {id: record.equivalent_to for id, record in records.items() if record is not None}
        assert {"s-1": "", "s-2": "s-1"} == named


def test_what_a_reviewer_judges_has_to_be_the_same() -> None:
    """Another purpose, permission, level or violation makes another submission."""
    one = case("s-1", "one()", who="zoe")
    assert identical(one, case("s-2", "one()", who="ada"))
    others = (
        case("s-3", "one() "),
        case("s-4", "one()", purpose="Other"),
        case("s-5", "one()", level=Level.CRITICAL),
        case("s-6", "one()", violations=FOUND),
        case("s-7", "one()", wanted=Permissions(domains=(Untrusted("a.example"),))),
    )
    assert [] == [each.submission.id for each in others if identical(one, each)]


class Claimed(FakeEngine):
    """Somebody else has claimed s-2."""

    async def claim(self, id: str) -> Case:
        """Claim, unless it is s-2."""
        if id == "s-2":
            raise Problem(409, "s-2 is claimed by ada")
        return await super().claim(id)


async def test_marked_submissions_are_claimed_together() -> None:
    """Those that somebody else has are named; claimed ones have a sign in the list."""
    engine = Claimed(*queue())
    async with open_console(engine) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 5)
        await press(pilot, "E")
        await until(pilot, lambda: app.key_guard.idle(monotonic(), TYPING_SECONDS))
        await press(pilot, "t")
        await until(pilot, lambda: sum(each.claim is not None for each in engine.cases.values()) == 4)
        await until(pilot, lambda: any("s-2 is claimed by ada" in one.message for one in app._notifications))
        await press(pilot, "E")
        await until(pilot, lambda: 4 == len(re.findall("@", frame(app))))


async def test_a_filter_drops_the_marks_of_what_it_hides() -> None:
    """Nothing is denied that is not listed."""
    async with open_console(FakeEngine(*queue())) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 5)
        await press(pilot, "E", "f", *"ada")
        await until(pilot, lambda: [each.id for each in rows.marked] == ["s-2", "s-4", "s-5"])


@pytest.mark.parametrize("key", ["l", "enter"])
async def test_a_narrow_screen_shows_the_whole_list_by_one_key(key: str) -> None:
    """At 80x24 l shows one line for each submission, and l or Enter shows the submission again."""
    many = [case(f"s-{number:02}", "print(1)", who=f"agent-{number:02}") for number in range(30)]
    async with open_console(FakeEngine(*many), (80, 24)) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 30)
        await press(pilot, "l")
        await until(pilot, lambda: rows.size.height > 15)
        await until(pilot, lambda: "agent-15" in frame(app))
        await press(pilot, "down", key)
        await until(pilot, lambda: rows.size.height < 5)
        assert "s-01" == shown(app)


async def test_the_worst_violation_and_the_age_are_in_the_list() -> None:
    """Each row says how grave its worst violation is and how many there are, also on a narrow screen."""
    async with open_console(FakeEngine(*queue()), (80, 24)) as (app, pilot):
        await until(pilot, lambda: bool(re.search(r"◆2", re.sub(r"\x1b\[[0-9;]*m", "", frame(app)))))


@pytest.mark.parametrize("lines", [1, 5, 20801, 4_000_000])
async def test_a_row_is_cut_at_an_ellipsis_or_not_at_all(lines: int) -> None:
    """Long facts take the room of the first line of the code."""
    code = "const" + "\n" * (lines - 1) if lines < 10 else "const"
    held = case("s-1", code, language=Language.JAVASCRIPT)
    async with open_console(FakeEngine(held)) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 1)
        rows._summaries = (rows._summaries[0].model_copy(update={"lines": lines}),)
        for width in range(26, 44):
            shown_text = content(*rows.draw(0, 1, width)).plain
            assert shown_text.endswith((str(lines), "const", "…"))


async def test_a_row_says_which_reviewer_works_on_it() -> None:
    """Two reviewers see each other in the list; a claim that has lapsed is no sign of anybody."""
    soon = datetime.now(UTC) + timedelta(minutes=5)
    held = case("s-1", "print(1)").model_copy(update={"claim": Claim(by=Untrusted("grace"), until=soon)})
    gone = Claim(by=Untrusted("alan"), until=datetime.now(UTC) - timedelta(seconds=1))
    lapsed = case("s-2", "print(2)").model_copy(update={"claim": gone})
    async with open_console(FakeEngine(held, lapsed), (120, 36)) as (app, pilot):
        await until(pilot, lambda: "grace" in frame(app))
        assert "alan" not in frame(app)


async def test_the_list_stands_still_while_another_screen_is_open_and_is_current_again_with_its_own() -> None:
    """What nobody sees takes no time from what somebody waits for."""
    engine = FakeEngine(*queue()[:2])
    async with open_console(engine) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 2)
        await press(pilot, "3")
        engine.put(queue()[2])
        await until(pilot, lambda: len(app.queue) == 3)
        assert 2 == rows.count
        await press(pilot, "escape", "1")
        await until(pilot, lambda: rows.count == 3)


def displayed(app: ConsoleApp) -> str:
    """Return the ID of the submission that can be read, and decided about."""
    assert isinstance(app.screen, ReviewScreen)
    case = app.screen._reader.case
    return case.submission.id if case else ""


async def settled(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Wait until nothing is loaded any more."""
    await pilot.pause()
    await until(pilot, lambda: not any(each.group == "case" for each in app.workers))


@asynccontextmanager
async def reading_first(engine: FakeEngine) -> AsyncIterator[tuple[ConsoleApp, Pilot[Any], QueueList]]:
    """Open the console on the first of five submissions, with those beside it loaded in advance."""
    async with open_console(engine) as (app, pilot):
        rows = listed(app)
        await until(pilot, lambda: rows.count == 5 and "s-1" == displayed(app))
        await settled(app, pilot)
        yield app, pilot, rows


async def go_to_the_last(engine: LateEngine, pilot: Pilot[Any], rows: QueueList) -> None:
    """Move the cursor to the last submission while the engine does not answer."""
    engine.lets.clear()
    rows.cursor = 4
    await until(pilot, lambda: "s-5" in engine.asked)


@pytest.mark.parametrize("places", [(1, 2), (1, 4), (3, 4), (4, 3), (1, 4, 1), (1, 0), (4, 0)])
async def test_what_is_under_the_cursor_is_displayed_however_quickly_it_moves(
    places: tuple[int, ...],
) -> None:
    """Onto one that was loaded in advance, past it, and back, all before the next frame."""
    async with reading_first(FakeEngine(*queue())) as (app, pilot, rows):
        for place in places:
            rows.cursor = place
        await settled(app, pilot)
        assert f"s-{places[-1] + 1}" == displayed(app)


async def test_an_answer_that_comes_late_does_not_display_what_the_cursor_has_left() -> None:
    """What was asked for first is not under the cursor any more when it comes."""
    engine = LateEngine(*queue())
    async with reading_first(engine) as (app, pilot, rows):
        await go_to_the_last(engine, pilot, rows)
        rows.cursor = 0
        engine.lets.set()
        await settled(app, pilot)
        assert "s-1" == displayed(app)


async def test_news_of_what_is_displayed_does_not_stop_what_is_under_the_cursor() -> None:
    """Another reviewer claims the one on screen while the next one is being loaded."""
    engine = LateEngine(*queue())
    async with reading_first(engine) as (app, pilot, rows):
        await go_to_the_last(engine, pilot, rows)
        engine.happen("claim.created", "s-1")
        await pilot.pause()
        engine.lets.set()
        await until(pilot, lambda: "s-5" == displayed(app), seconds=20)


@pytest.mark.parametrize("key", ["ctrl+y", "d", "r"])
async def test_nothing_is_decided_while_another_one_is_under_the_cursor(key: str) -> None:
    """The submission on screen is not the one that the reviewer has gone to."""
    engine = LateEngine(*queue())
    async with reading_first(engine) as (app, pilot, rows):
        await go_to_the_last(engine, pilot, rows)
        await press(pilot, key)
        await until(pilot, lambda: "is being loaded" in frame(app))
        assert isinstance(app.screen, ReviewScreen)
        engine.lets.set()
        await until(pilot, lambda: "s-5" == displayed(app))


async def test_what_changed_about_a_submission_is_not_shown_over_the_next_one() -> None:
    """The answer to a claim comes after the reviewer has gone on."""
    async with reading_first(FakeEngine(*queue())) as (app, pilot, rows):
        assert isinstance(app.screen, ReviewScreen)
        left = app.screen._reader.case
        assert left is not None
        rows.cursor = 1
        await settled(app, pilot)
        app.screen._selection.update(left)
        assert "s-2" == displayed(app)
