"""The reviewer's place: what stands between a person and an approval, and what goes out when there is one."""

from __future__ import annotations

from datetime import UTC, datetime
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot
from textual.widgets._footer import FooterKey

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from console.code_view.difference import difference
from console.code_view.lines import split_lines
from console.code_view.view import CodeView
from console.review.approve import ApproveScreen
from console.review.compare import CompareScreen, DifferenceRows
from console.review.deny import DenyScreen
from console.review.display_delay import DisplayDelay
from console.review.input_files import FilesScreen
from console.review.pre_approvals import PreApprovalScreen
from console.review.queue.listing import QueueList
from console.review.review_record import review_record_line
from console.review.screen import ReviewScreen
from console.review.violations import ViolationList
from console.safety.key_guard import BURST_SECONDS, TYPING_SECONDS, KeyGuard
from engine.common.review_coverage import line_count
from engine.common.text import Untrusted
from engine.models import (
    Certainty,
    Decision,
    DecisionOutcome,
    EffectKind,
    InputFile,
    Level,
    Limits,
    MatchMode,
    Operation,
    OperationKind,
    Permissions,
    PredictedEffect,
    Principal,
    TriageOutcome,
)
from engine.policy.review import unreviewed_items
from tests.console.safety.test_hostile_frames import plain as text_of
from tests.console.support.fake_engine import FakeEngine, case, span, violation
from tests.console.support.harness import frame, open_console, press, until

CODE = "import os\nprint(os.environ)\n"
LONG = "\n".join(f"print({number})" for number in range(300))


def review(app: ConsoleApp) -> ReviewScreen:
    """Return the screen, which must be the one in front."""
    assert isinstance(app.screen, ReviewScreen)
    return app.screen


async def armed(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Wait until nothing stands between the person and an approval."""
    await until(pilot, lambda: review(app).obstacle == "")


async def open_sheet(app: ConsoleApp, pilot: Pilot[Any]) -> ApproveScreen:
    """Open the sheet of an approval and wait until it takes the second key."""
    await armed(app, pilot)
    await press(pilot, "ctrl+y")
    await until(pilot, lambda: isinstance(app.screen, ApproveScreen))
    sheet = app.screen
    assert isinstance(sheet, ApproveScreen)
    await until(pilot, lambda: sheet.delay.over)
    return sheet


async def test_an_approval_takes_two_key_combinations_and_carries_the_digest_that_was_shown() -> None:
    """What goes to the engine is the digest of what was on screen, all that was asked, and no reason."""
    pending = case("s-1", CODE)
    engine = FakeEngine(pending)
    async with open_console(engine) as (app, pilot):
        await open_sheet(app, pilot)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: bool(engine.decided))
        assert [("s-1", DecisionOutcome.APPROVED, pending.submission.digest, "", None)] == engine.decided


async def test_the_second_key_combination_must_not_come_at_once() -> None:
    """A key combination held down, or sent twice, does not approve: the sheet must be displayed first."""
    engine = FakeEngine(case("s-1", CODE))
    async with open_console(engine) as (app, pilot):
        sheet = await open_sheet(app, pilot)
        sheet.delay = DisplayDelay()
        await press(pilot, "ctrl+y")
        assert sheet is app.screen
        assert [] == engine.decided


async def test_a_burst_of_keys_is_a_terminal_and_no_person() -> None:
    """The key combination does nothing among keys that arrive together."""
    engine = FakeEngine(case("s-1", CODE))
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        for key in ("left_square_bracket", "ctrl+y", "0", "n"):
            app.simulate_key(key)
        guard = app.key_guard
        await until(pilot, lambda: not guard.no_input_yet and guard.idle(monotonic(), 4 * BURST_SECONDS))
        assert isinstance(app.screen, ReviewScreen)
        assert [] == engine.decided


async def test_no_plain_key_approves() -> None:
    """No printable key opens the sheet of an approval, and none confirms it."""
    engine = FakeEngine(case("s-1", CODE))
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        for key in "yaAYncx5;[]^~":
            await pilot.press(key)
            assert not isinstance(app.screen, ApproveScreen)
        assert [] == engine.decided


async def test_the_mouse_never_approves() -> None:
    """Clicking on the sheet and on every name of a key below it decides nothing."""
    engine = FakeEngine(case("s-1", CODE))
    async with open_console(engine) as (app, pilot):
        await open_sheet(app, pilot)
        for y in (10, 14, 18, 22, 24, 26):
            await pilot.click(offset=(24, y))
        for key in [each for each in app.screen.query(FooterKey) if each.key != "escape"]:
            await pilot.click(key)
            assert isinstance(app.screen, ApproveScreen)
        assert [] == engine.decided


async def test_a_click_on_the_name_of_a_key_is_not_that_key() -> None:
    """A key that comes with a mouse button is not one that a person pressed."""
    guard = KeyGuard()
    guard.record_mouse(10.0)
    guard.record_key(10.001)
    assert not await guard.pressed_by_person()
    guard.record_key(11.0)
    assert await guard.pressed_by_person()
    guard.record_mouse(11.5)
    assert not await guard.pressed_by_person()


async def test_a_letter_of_typed_text_is_not_pressed_alone() -> None:
    """The key before or after it came too soon; Enter after a typed name of a command is no text."""
    guard = KeyGuard()
    guard.record_key(10.0, printable=True)
    assert await guard.pressed_alone()
    guard.record_key(10.0 + TYPING_SECONDS / 2, printable=True)
    assert not await guard.pressed_alone()
    guard.record_key(10.0 + TYPING_SECONDS, printable=False)
    assert await guard.pressed_alone()


async def seen_all(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Read on until nothing is left to see."""
    for _ in range(60):
        if app.screen is not review(app) or review(app).obstacle in {"", "wait…"}:
            return
        await press(pilot, "space")
    pytest.fail("reading on never ends")


async def test_code_that_was_not_wholly_on_screen_cannot_be_approved() -> None:
    """Jumping to the end is not reading: every line must have been on screen; missing ones are named."""
    engine = FakeEngine(case("s-1", LONG))
    async with open_console(engine) as (app, pilot):
        view = review(app).query_one(CodeView)
        await until(pilot, lambda: view.line_count == 300)
        view.action_bottom()
        await until(pilot, lambda: view.scroll_offset.y == view.max_scroll_y > 0)
        await press(pilot, "ctrl+y")
        assert "not fully reviewed" == review(app).obstacle
        assert "lines from" in review(app).unread
        await seen_all(app, pilot)
        await armed(app, pilot)


async def test_reading_on_opens_what_is_folded() -> None:
    """Lines in a folded block were not on screen; reading on unfolds and wraps them."""
    code = "def f():\n" + "    print(1)\n" * 60 + "f()\n"
    async with open_console(FakeEngine(case("s-1", code))) as (app, pilot):
        view = review(app).query_one(CodeView)
        await until(pilot, lambda: view.line_count == 62)
        assert view.fold()
        await press(pilot, "w")
        await until(pilot, lambda: review(app).obstacle == "not fully reviewed")
        await seen_all(app, pilot)
        await armed(app, pilot)


async def test_violations_files_and_purpose_have_to_be_looked_at_too() -> None:
    """A HIGH one waits for each violation to be resolved, each file to be opened, and for the purpose."""
    found = (violation(span(1, 8, 10)), violation(span(2, 1, 6), level=Level.LOW), violation(span(2, 1, 6)))
    file = InputFile(name=Untrusted("data.csv"), content=b"1,2\n")
    pending = case("s-1", CODE, violations=found, files=(file,), purpose="to help " * 40)
    engine = FakeEngine(pending)
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: "resolve 2 violations" in review(app).unread)
        await press(pilot, "a")
        await until(pilot, lambda: review(app).query_one(ViolationList).cursor == 2)
        await press(pilot, "x", "v")
        await until(pilot, lambda: isinstance(app.screen, FilesScreen))
        await press(pilot, "escape")
        await until(pilot, lambda: "the purpose" in review(app).unread)
        await press(pilot, "space")
        await open_sheet(app, pilot)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: bool(engine.review_records))
        review_record = engine.review_records[0]
        assert review_record is not None
        assert ((1, 2),) == review_record.lines
        assert ((0,), True) == (review_record.files, review_record.purpose)
        assert (0, 1, 2) == review_record.violations
        assert [TriageOutcome.ACCEPTED, TriageOutcome.FALSE_POSITIVE] == [
            made.outcome for made in review_record.triage
        ]
        assert () == unreviewed_items(pending, review_record)
        assert review_record_line(review_record).endswith(
            "2 lines, 3 violations, 1 input file, 1 accepted, 1 false positive"
        )


async def test_a_long_file_counts_once_each_of_its_lines_was_on_screen() -> None:
    """Opening a file is not reading it; what was read of it counts when it is opened again."""
    file = InputFile(name=Untrusted("data.csv"), content=b"1,2\n" * 60)
    async with open_console(FakeEngine(case("s-1", CODE, files=(file,)))) as (app, pilot):
        await until(pilot, lambda: "1 input file" in review(app).unread)
        for unread in (True, False):
            await press(pilot, "v")
            await until(pilot, lambda: isinstance(app.screen, FilesScreen))
            await press(pilot, "space", "escape")
            await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
            assert unread == ("1 input file" in review(app).unread)
        await armed(app, pilot)


async def test_a_purpose_longer_than_its_panel_is_scrolled_to_its_end() -> None:
    """That the panel is open is not enough; Space scrolls it."""
    pending = case("s-1", CODE, purpose="to help " * 150)
    async with open_console(FakeEngine(pending), size=(80, 24)) as (app, pilot):
        await until(pilot, lambda: "the purpose" in review(app).unread)
        await press(pilot, "space")
        assert "the purpose" in review(app).unread
        for _ in range(20):
            await press(pilot, "space")
        await armed(app, pilot)


async def test_what_is_medium_needs_no_settling() -> None:
    """Below HIGH the code has to be read, and nothing else is asked."""
    found = (violation(span(1, 8, 10)),)
    engine = FakeEngine(case("s-1", CODE, level=Level.MEDIUM, violations=found, purpose="to help " * 40))
    async with open_console(engine, size=(80, 24)) as (app, pilot):
        await armed(app, pilot)


async def test_the_second_reviewer_sees_what_the_first_decided() -> None:
    """An approval by another reviewer, and why, appears beside the submission while it is looked at."""
    pending = case("s-1", CODE, level=Level.CRITICAL)
    engine = FakeEngine(pending)
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        first = Decision(submission="s-1", digest=pending.submission.digest, outcome=DecisionOutcome.APPROVED,
                         by=Principal(name=Untrusted("ada")), at=datetime.now(UTC),
                         reason=Untrusted("reads its own file"))  # fmt: skip
        engine.put(pending.model_copy(update={"reviews": (first,)}), "decision.first_approval")
        await until(pilot, lambda: "ada" in frame(app))
        assert "" == review(app).obstacle
        await open_sheet(app, pilot)
        assert "reads its own file" in frame(app)


async def test_lines_past_the_edge_cannot_be_approved() -> None:
    """Code behind a run of spaces is wrapped into sight; unwrapped, it cannot be approved."""
    engine = FakeEngine(case("s-1", "x = 1" + " " * 500 + "; evil()\n"))
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        await press(pilot, "w")
        await until(pilot, lambda: "cut off" in review(app).obstacle)


async def test_without_proof_of_isolation_nothing_can_be_approved() -> None:
    """Without the isolation of gVisor, the console says so and opens no sheet."""
    engine = FakeEngine(case("s-1", CODE), isolated=False)
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: "isolation" in review(app).obstacle)
        await press(pilot, "ctrl+y")
        assert isinstance(app.screen, ReviewScreen)


async def test_less_than_was_asked_can_be_given() -> None:
    """A switch off and a dial down are what the grant says; the rest stays as asked."""
    asked = Permissions(
        domains=(Untrusted("a.example"), Untrusted("b.example")), limits=Limits(memory_mb=512)
    )
    engine = FakeEngine(case("s-1", CODE, wanted=asked))
    async with open_console(engine) as (app, pilot):
        await open_sheet(app, pilot)
        await press(pilot, "tab", "space", "down", "down", "left", "ctrl+y")
        await until(pilot, lambda: bool(engine.decided))
        grant = engine.decided[0][4]
        assert grant is not None
        assert (Untrusted("b.example"),) == grant.permissions.domains
        assert Limits(memory_mb=256) == grant.permissions.limits


async def test_a_denial_carries_its_reason() -> None:
    """The reason that was typed goes to the engine."""
    engine = FakeEngine(case("s-1", CODE))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "d")
        await until(pilot, lambda: isinstance(app.screen, DenyScreen))
        await press(pilot, *"too nosy", "enter")
        await until(pilot, lambda: bool(engine.decided))
        assert (DecisionOutcome.DENIED, "too nosy") == (engine.decided[0][1], engine.decided[0][3])


async def test_a_decision_can_be_taken_back() -> None:
    """Within the time for it, u keeps a decision from being sent."""
    engine = FakeEngine(case("s-1", CODE))
    async with open_console(engine, preferences=Preferences(undo_seconds=20)) as (app, pilot):
        await open_sheet(app, pilot)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: app.decisions is not None and bool(app.decisions.held))
        await press(pilot, "u")
        assert app.decisions is not None
        assert () == app.decisions.held
        assert [] == engine.decided


async def test_nothing_is_focused_when_a_submission_arrives() -> None:
    """A submission that arrives takes no focus and moves no cursor from the one that is read."""
    engine = FakeEngine(case("s-1", CODE))
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        engine.put(case("s-2", "print(2)", level=Level.CRITICAL))
        rows = review(app).query_one(QueueList)
        await until(pilot, lambda: rows.count == 2)
        assert None is app.focused
        assert rows.chosen is not None
        assert "s-1" == rows.chosen.id


async def test_another_submission_is_armed_anew() -> None:
    """Going to another submission starts the clock and the reading again."""
    engine = FakeEngine(case("s-1", CODE), case("s-2", LONG))
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        await press(pilot, "right_square_bracket")
        await until(pilot, lambda: "not fully reviewed" == review(app).obstacle)


async def test_violations_are_walked_through() -> None:
    """The first of the gravest is selected; n goes to the next, then around."""
    found = (violation(span(1, 8, 10)), violation(span(200, 1, 6)))
    engine = FakeEngine(case("s-1", LONG, violations=found))
    async with open_console(engine) as (app, pilot):
        view = review(app).query_one(CodeView)
        await until(pilot, lambda: view.line_count == 300)
        assert 0 == view.current
        await press(pilot, "n")
        assert 1 == view.current
        assert view.scroll_offset.y > 100
        await press(pilot, "n")
        assert 0 == view.current


async def test_search_goes_to_what_it_finds() -> None:
    """A word far down is brought into sight."""
    engine = FakeEngine(case("s-1", LONG))
    async with open_console(engine) as (app, pilot):
        view = review(app).query_one(CodeView)
        await until(pilot, lambda: view.line_count == 300)
        await press(pilot, "slash", *"(250)", "enter")
        assert 220 < view.scroll_offset.y <= 250
        assert None is app.focused


async def test_input_files_are_shown_byte_for_byte() -> None:
    """What goes into the workspace can be read before it does, also where it is no text."""
    file = InputFile(name=Untrusted("a\x1b.bin"), content=b"\x00\xff\x1b[2Jdata")
    engine = FakeEngine(case("s-1", CODE, level=Level.MEDIUM, files=(file,)))
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        await press(pilot, "v")
        await until(pilot, lambda: isinstance(app.screen, FilesScreen))
        whole = "␀\\xff␛[2Jdata"
        await until(pilot, lambda: f"a␛.bin  {len(file.content)} B" in text_of(app) and whole in text_of(app))


async def test_the_queue_of_hundreds_is_never_rebuilt() -> None:
    """Two hundred entries are one widget, and its children are not."""
    engine = FakeEngine(*(case(f"s-{number}", CODE) for number in range(200)))
    async with open_console(engine) as (app, pilot):
        rows = review(app).query_one(QueueList)
        await until(pilot, lambda: rows.count == 200)
        assert [] == [each for each in rows.children if each.__class__.__name__ != "ScrollBar"]


async def test_a_tool_call_says_what_it_does_and_shows_what_it_writes() -> None:
    """A write is shown as such, with its file and session, and its content is what has to be read."""
    script = InputFile(name=Untrusted("run.sh"), content=b"#!/bin/sh\necho hi\n\xff\n")
    plain = case("s-1", "", files=(script,), purpose="")
    call = Operation(kind=OperationKind.WRITE, path=script.name, executable=True)
    draft = plain.submission.draft.model_copy(update={"operation": call, "session": "ses-7"})
    pending = plain.model_copy(update={"submission": plain.submission.model_copy(update={"draft": draft})})
    engine = FakeEngine(pending)
    async with open_console(engine) as (app, pilot):
        await open_sheet(app, pilot)
        assert "write run.sh, executable in session ses-7" in frame(app).replace("\x1b[0m", "")
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        assert ["#!/bin/sh", "echo hi", "\\xff"] == list(review(app).query_one(CodeView).lines)


async def test_one_key_shows_what_differs_from_the_nearest_approved_one() -> None:
    """c opens the lines that are new and those that are gone, and nothing of the rest."""
    engine = FakeEngine(case("s-1", LONG.replace("print(250)", "evil()")), case("s-0", LONG))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: review(app).query_one(CodeView).line_count == 300)
        await press(pilot, "c")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        rows = app.screen.query_one(DifferenceRows)
        await until(pilot, lambda: rows.count == 8)
        assert "evil()" in frame(app)
        assert "87% similar" in frame(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, ReviewScreen)


def test_a_difference_names_lines_by_their_numbers() -> None:
    """What is new has its number in the new code, what is gone that in the old; the rest is counted."""
    old = "\n".join(f"line {number}" for number in range(1, 41))
    new = old.replace("line 3\n", "").replace("line 40", "line forty")
    lines = difference(old, new)
    assert [("-", 3), ("-", 40), ("+", 39)] == [
        (line.sign, line.number) for line in lines if line.sign in "+-"
    ]
    assert ["30 lines the same"] == [line.text.text for line in lines if line.sign == "…"]
    assert () == difference(old, old)


async def test_after_an_approval_its_like_is_approved_beforehand_and_taken_back() -> None:
    """s opens the bounds, a key combination creates it, S lists it, x revokes it; no plain key creates it."""
    engine = FakeEngine(case("s-1", CODE), case("s-2", CODE))
    async with open_console(engine) as (app, pilot):
        await open_sheet(app, pilot)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: app.decisions is not None and app.decisions.last_approved is not None)
        await press(pilot, "s")
        await until(pilot, lambda: isinstance(app.screen, PreApprovalScreen) and app.screen.delay.over)
        await press(pilot, "right", "down", "down", "right", "y", "enter")
        assert [] == engine.given
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        given = engine.given[0]
        assert ("s-1", MatchMode.STRUCTURE, Level.HIGH, 30) == (
            given.basis, given.match_mode, given.ceiling, given.uses
        )  # fmt: skip
        await press(pilot, "S")
        await until(pilot, lambda: "0 of 30 used" in frame(app))
        await press(pilot, "x")
        await until(pilot, lambda: [] == engine.given)


async def test_nothing_critical_is_approved_beforehand() -> None:
    """After the approval of something CRITICAL the sheet does not open."""
    engine = FakeEngine(case("s-1", CODE, level=Level.CRITICAL))
    async with open_console(engine) as (app, pilot):
        assert app.decisions is not None
        app.decisions.last_approved = await engine.case("s-1")
        await press(pilot, "s")
        assert isinstance(app.screen, ReviewScreen)


async def test_giving_less_says_which_lines_will_fail() -> None:
    """Switched off, a file that line 2 opens is reported with that line; switched on again, nothing is."""
    reads = PredictedEffect(
        kind=EffectKind.READ, value=Untrusted("a.csv"), certainty=Certainty.EXACT, lines=(2,)
    )
    file = InputFile(name=Untrusted("a.csv"), content=b"1")
    wanted = Permissions(files=(file.name,))
    pending = case("s-1", CODE, level=Level.MEDIUM, files=(file,), wanted=wanted, effects=(reads,))
    async with open_console(FakeEngine(pending)) as (app, pilot):
        await open_sheet(app, pilot)
        await press(pilot, "tab", "space")
        await until(pilot, lambda: "fail in line 2" in frame(app))
        await press(pilot, "space")
        await until(pilot, lambda: "fail in line" not in frame(app))


async def test_a_submission_is_claimed_and_let_go() -> None:
    """t claims what is read, and says so above the code; t again lets go of it."""
    engine = FakeEngine(case("s-1", CODE))
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        await press(pilot, "t")
        await until(pilot, lambda: "Claimed by" in frame(app))
        await press(pilot, "t")
        await until(pilot, lambda: "Claimed by" not in frame(app))
        assert engine.cases["s-1"].claim is None


async def test_text_that_is_typed_outside_of_a_line_records_nothing() -> None:
    """The letters that claim and give more time do so alone, and say why they did not."""
    engine = FakeEngine(case("s-1", CODE))
    before = engine.cases["s-1"].deadline
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        for key in "pnTntpn":
            app.simulate_key(key)
        await until(pilot, lambda: any("pressed alone" in each.message for each in app._notifications))
        assert engine.cases["s-1"].claim is None
        assert before == engine.cases["s-1"].deadline


@given(st.text(alphabet="ab\n\r\u2028\x0c", max_size=30))
def test_console_and_engine_count_the_same_lines(code: str) -> None:
    """What the console shows as lines is what the engine requires to be displayed."""
    assert line_count(code) == len(split_lines(code))
