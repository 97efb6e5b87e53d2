"""Besides yes and no: comments for the agent, more time, and what nobody decided in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.code_view.view import CodeView
from console.review.changes.comment_text import parse_comment
from console.review.changes.sheet import ChangesScreen
from console.review.input_files import FilesScreen
from console.review.queue.expired import ExpiredRows, ExpiredScreen
from console.review.screen import ReviewScreen
from console.theming.highlight import language_of
from engine.common.text import Untrusted
from engine.models import Claim, DecisionOutcome, InputFile, LineComment, Span, Status, Unproven
from tests.console.review.test_deciding import listed, shown
from tests.console.support.fake_engine import FakeEngine, case, span, violation
from tests.console.support.harness import frame, open_console, press, until

CODE = "import os\nprint(os.environ)\nprint(1)\n"


async def test_comments_on_lines_and_a_general_one_reach_the_engine() -> None:
    """The first one begins at the selected violation; a suggestion follows an arrow."""
    engine = FakeEngine(case("s-1", CODE, violations=(violation(span(2, 7, 17)),)))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: app.screen.query_one(CodeView).current == 0)
        await press(pilot, "r")
        await until(pilot, lambda: isinstance(app.screen, ChangesScreen))
        await press(pilot, *"name it => print(1)", "enter", *"3: why?", "enter", *"Read less.", "enter")
        assert [] == engine.decided
        await press(pilot, "enter")
        await until(pilot, lambda: bool(engine.decided))
        assert (DecisionOutcome.CHANGES_REQUESTED, "Read less.") == (
            engine.decided[0][1],
            engine.decided[0][3],
        )
        assert [(2, "name it", "print(1)"), (3, "why?", "")] == [
            (one.first, one.text.text, one.suggestion.text) for one in engine.comments
        ]


async def test_comments_are_kept_when_the_sheet_is_closed() -> None:
    """Esc loses nothing that was written; nothing is sent without a comment."""
    engine = FakeEngine(case("s-1", CODE))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: shown(app) == "s-1")
        await press(pilot, "r")
        await until(pilot, lambda: isinstance(app.screen, ChangesScreen))
        await press(pilot, "ctrl+s")
        assert isinstance(app.screen, ChangesScreen)
        await press(pilot, *"9: no such line", "enter")
        await until(pilot, lambda: "lines 1 to 3" in frame(app))
        await press(pilot, *["backspace"] * 20, *"1-2: shorter", "enter", "escape")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        await press(pilot, "r")
        await until(pilot, lambda: isinstance(app.screen, ChangesScreen) and "shorter" in frame(app))
        assert [] == engine.decided


@given(st.text(max_size=40), st.integers(1, 50))
def test_whatever_is_typed_is_a_comment_or_an_error(typed: str, lines: int) -> None:
    """A comment on lines is about lines that there are."""
    try:
        found = parse_comment(typed, lines)
    except ValueError:
        return
    assert isinstance(found, str) or 1 <= found.first <= found.last <= lines


def test_a_comment_names_a_line_or_a_range() -> None:
    """`12-14: text => suggestion` is all there is to know."""
    expected = LineComment(first=2, last=3, text=Untrusted("less"), suggestion=Untrusted("x = 1"))
    assert expected == parse_comment(" 2 - 3 : less => x = 1", 5)
    assert "see http://a.example: there" == parse_comment("see http://a.example: there", 5)


async def test_a_key_gives_ten_more_minutes() -> None:
    """T moves the deadline, and the time above the code follows."""
    engine = FakeEngine(case("s-1", CODE, seconds=60))
    before = engine.cases["s-1"].deadline
    assert before is not None
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: shown(app) == "s-1")
        await press(pilot, "T")
        await until(pilot, lambda: engine.cases["s-1"].deadline == before + timedelta(minutes=10))
        await until(pilot, lambda: "10:5" in frame(app))


async def test_a_claim_stops_the_clock_on_screen() -> None:
    """While it holds, the time that was left stands still, and the header says so."""
    claim = Claim(by=Untrusted("ada"), until=datetime.now(UTC) + timedelta(minutes=5), clock=125.0)
    engine = FakeEngine(case("s-1", CODE).with_claim(claim))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: "clock stopped at 2:05" in frame(app))


async def test_what_expired_is_listed_instead_of_a_green_empty_queue() -> None:
    """The empty queue says how many expired; b lists them and Enter opens the case."""
    gone = case("s-1", CODE).model_copy(update={"status": Status.EXPIRED})
    async with open_console(FakeEngine(gone)) as (app, pilot):
        await until(pilot, lambda: "1 submission expired" in frame(app))
        assert "Queue is empty" not in frame(app)
        await press(pilot, "b")
        await until(pilot, lambda: isinstance(app.screen, ExpiredScreen))
        await until(pilot, lambda: app.screen.query_one(ExpiredRows).count == 1)
        await press(pilot, "enter")
        await until(pilot, lambda: type(app.screen).__name__ == "CaseScreen")


async def test_a_key_revives_what_expired_and_goes_to_it() -> None:
    """r lets the selected one wait again: the list closes, and the new submission is on screen."""
    gone = case("s-1", CODE).model_copy(update={"status": Status.EXPIRED})
    engine = FakeEngine(gone, case("s-2", "print(2)\n"))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: shown(app) == "s-2" and "1 expired: b" in frame(app))
        await press(pilot, "b")
        await until(pilot, lambda: isinstance(app.screen, ExpiredScreen))
        await until(pilot, lambda: app.screen.query_one(ExpiredRows).count == 1)
        await press(pilot, "r")
        await until(pilot, lambda: shown(app) == "s-1-again")
        await until(pilot, lambda: "expired: b" not in frame(app))


async def test_places_that_are_not_proven_have_a_faint_mark() -> None:
    """Their lines have a sign in the gutter; proven lines have none."""
    known = case("s-1", CODE)
    places = (Unproven(span=Span(line=2, column=1, end_line=2, end_column=6), reason=Untrusted("why not")),)
    analysis = known.analysis.model_copy(update={"unproven": places})
    engine = FakeEngine(known.model_copy(update={"analysis": analysis}))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: "1 place (~)" in frame(app))
        signs = app.screen.query_one(CodeView)._renderer.paint.unproven
        assert {1: [(0, 5)]} == signs


async def test_space_reads_on_into_the_next_input_file() -> None:
    """At a file's end Space goes to the next one, and closes the files once all were read."""
    files = tuple(InputFile(name=Untrusted(name), content=b"x\n" * 40) for name in ("a.py", "b.csv"))
    async with open_console(FakeEngine(case("s-1", CODE, files=files))) as (app, pilot):
        await until(pilot, lambda: listed(app).count == 1)
        await press(pilot, "v")
        await until(pilot, lambda: isinstance(app.screen, FilesScreen))
        await until(pilot, lambda: "a.py" in frame(app) and "unread: 1, 2" in frame(app))
        for _ in range(8):
            if isinstance(app.screen, FilesScreen):
                await press(pilot, "space")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        screen = app.screen
        assert isinstance(screen, ReviewScreen)
        assert "input file" not in screen.unread


@pytest.mark.parametrize(
    ("name", "language"), [("helper.py", "python"), ("A.JS", "javascript"), ("data.csv", ""), ("py", "")]
)
def test_a_file_has_the_colours_of_its_own_language(name: str, language: str) -> None:
    """The name says the language; what is not known has no colours rather than wrong ones."""
    assert language == language_of(name)
    assert language == language_of(str(Path("folder") / name))
