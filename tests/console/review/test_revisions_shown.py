"""A revision is read as one: what changed, which comments were answered, and what was read before."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.code_view.view import CodeView
from console.review.changes.revision import diff_lines
from console.review.changes.revision_screen import RevisionScreen
from console.review.changes.sheet import ChangesScreen
from console.review.screen import ReviewScreen
from engine.common.text import Untrusted
from engine.core.review.revisions import revision_of
from engine.models import (
    Case,
    Decision,
    DecisionOutcome,
    LineComment,
    Principal,
    ReviewRecord,
    Revision,
    ShownBy,
)
from engine.policy.comparison.differences import unified_diff
from tests.console.support.fake_engine import ME, FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until

OLD = "".join(f"old{number} = {number}\n" for number in range(60))
NEW = OLD.replace("old30 = 30", "fresh30 = 30\nfresh31 = 31")
LINES = st.lists(st.sampled_from(["", "a", "b", "@@ -1,1 +1,1 @@", "+", "-", " ", "\x1b[2J"]), max_size=12)


def revised(read: tuple[tuple[int, int], ...] = ((1, 60),)) -> tuple[Case, Revision]:
    """Return a submission that revises another, and what it changes, of which some was read."""
    comment = LineComment(first=31, last=31, text=Untrusted("Name it"))
    earlier, later = case("s-1", OLD), case("s-2", NEW)
    record = ReviewRecord(seconds=9, lines=read, purpose=True, shown_by=ShownBy.CONSOLE)
    decision = Decision(
        submission="s-1", digest=earlier.submission.digest, outcome=DecisionOutcome.CHANGES_REQUESTED, by=ME,
        at=earlier.submission.submitted_at, reason=Untrusted("Close"), review_record=record,
        comments=(comment,),
    )  # fmt: skip
    draft = later.submission.draft.model_copy(update={"revises": "s-1"})
    submission = later.submission.model_copy(update={"draft": draft})
    later = later.model_copy(update={"submission": submission})
    return later, revision_of(earlier.model_copy(update={"decision": decision}), later, ME)


def engine_with(read: tuple[tuple[int, int], ...] = ((1, 60),)) -> FakeEngine:
    """Return an engine in which a revision waits."""
    later, revision = revised(read)
    engine = FakeEngine(later)
    engine.revisions = {"s-2": revision}
    return engine


async def test_a_revision_says_what_it_changes_and_what_was_read() -> None:
    """One line says it without a key; what was read before is not to be read again, what is new is."""
    async with open_console(engine_with(), size=(80, 24)) as (app, pilot):
        await until(pilot, lambda: "Revises" in frame(app))
        shown = frame(app)
        assert "1 of 2 comments answered" in shown
        screen, view = app.screen, app.screen.query_one(CodeView)
        assert isinstance(screen, ReviewScreen)
        assert "2 lines from 31" in screen.unread
        await press(pilot, "space")
        await until(pilot, lambda: "from" not in screen.unread)
        assert view.line_count == len(view.seen_lines)


async def test_the_record_names_the_submission_that_was_read_before() -> None:
    """A decision that rests on an earlier reading says so."""
    async with open_console(engine_with()) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, ReviewScreen)
        await until(pilot, lambda: screen._reader.recorder is not None)
        recorder = screen._reader.recorder
        assert recorder is not None
        assert "s-1" == recorder.record.carried_from


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_c_shows_comments_replies_and_the_difference(size: tuple[int, int]) -> None:
    """The sheet has each comment, what became of it, and every line that differs."""
    async with open_console(engine_with(), size=size) as (app, pilot):
        await until(pilot, lambda: "Revises" in frame(app))
        await press(pilot, "c")
        await until(pilot, lambda: isinstance(app.screen, RevisionScreen) and "fresh31" in frame(app))
        shown = frame(app)
        for words in ("Close", "Name it", "its lines changed", "old30", "fresh30"):
            assert words in shown, words
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))


async def test_lines_that_are_new_have_a_mark() -> None:
    """A `+` stands beside the number of a line that the earlier submission did not have."""
    async with open_console(engine_with()) as (app, pilot):
        view = app.screen.query_one(CodeView)
        await until(pilot, lambda: view._renderer.paint.changed == frozenset({30, 31}))


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_the_code_stays_readable_while_comments_are_written(size: tuple[int, int]) -> None:
    """The sheet is below the code; a line number that is typed, and the page keys, scroll the code."""
    async with open_console(engine_with(), size=size) as (app, pilot):
        view = app.screen.query_one(CodeView)
        await until(pilot, lambda: view.line_count > 60)
        await press(pilot, "r")
        await until(pilot, lambda: isinstance(app.screen, ChangesScreen))
        await press(pilot, *"50: why?")
        await until(pilot, lambda: "old48" in frame(app))
        assert size[1] - 17 <= view.size.height
        await press(pilot, "pageup", "pageup", "pageup", "pageup", "pageup", "pageup", "pageup", "pageup")
        await until(pilot, lambda: "old0" in frame(app))
        await press(pilot, "enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))


@given(LINES, LINES)
def test_a_difference_shows_every_changed_line_at_its_number(old: list[str], new: list[str]) -> None:
    """Lines that look like the format's own are text; numbers are those of the code."""
    shown = diff_lines(Untrusted(unified_diff(old, new)))
    for line in shown:
        if line.sign in "+ ":
            assert new[line.number - 1] == line.text.text
        elif line.sign == "-":
            assert old[line.number - 1] == line.text.text
    kept = [line.number for line in shown if line.sign in "+ "]
    assert all(one < other for one, other in itertools.pairwise(kept))
    assert (old == new) == (not shown)


def test_nothing_read_carries_nothing() -> None:
    """A reviewer who read nothing of the earlier one begins at the first line."""
    later, revision = revised(())
    assert revision.carried is not None
    assert () == revision.carried.lines
    assert Principal(name=Untrusted("agent")) == later.submission.requester
