"""What a reviewer decided or typed survives a console that is killed, and is never sent twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.app.file_lock import FileLock
from console.app.preferences import Preferences
from console.review.changes.sheet import ChangesScreen
from console.review.decisions import PendingDecision
from console.review.deny import DenyScreen
from console.review.screen import ReviewScreen
from console.review.unsent import drafts, journal
from console.review.unsent.drafts import SavedTexts
from console.review.unsent.journal import DecisionJournal
from console.review.unsent.sheet import UnsentScreen
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Grant, LineComment, Permissions, ReviewRecord, Status
from tests.console.review.test_deciding import deny, shown
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until

SLOW = Preferences(undo_seconds=30)
COMMENT = LineComment(first=1, last=1, text=Untrusted("why?"))
CHANGES = PendingDecision(
    case("s-1", "1"), DecisionOutcome.CHANGES_REQUESTED, "Close", Grant(permissions=Permissions()),
    ReviewRecord(seconds=2, lines=((1, 1),)), (COMMENT,),
)  # fmt: skip


def left_by_a_killed_console(*decisions: PendingDecision) -> None:
    """Keep decisions on disk, and release the lock as the kernel does."""
    dead = DecisionJournal()
    dead.keep(decisions)
    dead.close()


async def test_a_decision_is_on_disk_before_it_can_be_undone() -> None:
    """A console that is killed within the undo time leaves it; one that undoes it leaves nothing."""
    engine = FakeEngine(case("s-1", "1"))
    async with open_console(engine, preferences=SLOW) as (app, pilot):
        await until(pilot, lambda: shown(app) == "s-1")
        await deny(app, pilot, "no")
        await until(pilot, lambda: bool(app.decisions and app.decisions.held))
        (path,) = journal.folder().glob("*.json")
        assert 0o600 == path.stat().st_mode & 0o777
        (kept,) = journal._read(path)
        assert ("s-1", DecisionOutcome.DENIED, "no") == (kept.id, kept.outcome, kept.reason.text)
        await press(pilot, "u")
        await until(pilot, lambda: not list(journal.folder().glob("*.json")))
    assert [] == engine.decided


async def test_the_next_console_asks_and_sends_it_once() -> None:
    """Nothing is sent without the key; all that was decided is sent, and then forgotten."""
    left_by_a_killed_console(CHANGES)
    engine = FakeEngine(CHANGES.case)
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, UnsentScreen))
        assert "changes requested" in frame(app)
        assert "Close" in frame(app)
        assert [] == engine.decided
        await pilot.pause(0.5)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: bool(engine.decided))
        assert (COMMENT,) == engine.comments
        assert (CHANGES.review_record,) == tuple(engine.review_records)
        assert [(CHANGES.outcome, "Close", CHANGES.grant)] == [(one[1], *one[3:]) for one in engine.decided]
        await until(pilot, lambda: not list(journal.folder().glob("*.json")))


@pytest.mark.parametrize(("key", "asked_again"), [("escape", True), ("ctrl+x", False)])
async def test_it_is_asked_about_until_it_is_dropped(key: str, asked_again: bool) -> None:
    """Esc keeps it for the next console, ctrl+x drops it; the submission stays pending."""
    left_by_a_killed_console(CHANGES)
    engine = FakeEngine(CHANGES.case)
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, UnsentScreen))
        await pilot.pause(0.5)
        await press(pilot, key)
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
    assert [] == engine.decided
    assert asked_again == bool(DecisionJournal().take_over())


async def test_what_the_engine_has_is_not_sent_again() -> None:
    """A decision that arrived before the console was killed is forgotten without a question."""
    left_by_a_killed_console(CHANGES)
    engine = FakeEngine(CHANGES.case)
    submission = CHANGES.case.submission
    await engine.decide(submission.id, CHANGES.outcome, submission.digest, "Close")
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: not list(journal.folder().glob("*.json")))
        assert isinstance(app.screen, ReviewScreen)
    assert 1 == len(engine.decided)


async def test_what_was_decided_otherwise_or_is_another_is_never_sent() -> None:
    """A submission that expired, and another one of the same ID, get nothing; the reviewer is told."""
    left_by_a_killed_console(CHANGES)
    engine = FakeEngine(CHANGES.case.model_copy(update={"status": Status.EXPIRED}))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: any("expired now" in each.message for each in app._notifications))
    left_by_a_killed_console(CHANGES)
    engine = FakeEngine(case("s-1", "other"))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: any("Another submission" in each.message for each in app._notifications))
    assert [] == engine.decided


def test_a_console_takes_nothing_from_one_that_is_open() -> None:
    """What a living console holds is its own; what it leaves is taken over once."""
    living = DecisionJournal()
    living.keep([CHANGES])
    other = DecisionJournal()
    assert () == other.take_over()
    living.close()
    assert 1 == len(other.take_over())
    assert () == DecisionJournal().take_over()
    assert () == living.take_over()


def test_a_broken_file_is_nothing(tmp_path: Path) -> None:
    """A file that was cut off, or is no journal, stops no console."""
    left_by_a_killed_console(CHANGES)
    (path,) = journal.folder().glob("*.json")
    path.write_bytes(path.read_bytes()[:-5])
    assert () == DecisionJournal().take_over()
    lock = FileLock.take(tmp_path / "a.lock")
    assert lock is not None
    assert None is FileLock.take(tmp_path / "a.lock")
    lock.release()


async def test_typed_comments_and_reasons_survive() -> None:
    """What is in the inputs is on disk shortly after, and there when the sheet is opened again."""
    engine = FakeEngine(case("s-1", "1\n2\n"))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: shown(app) == "s-1")
        await press(pilot, "r")
        await until(pilot, lambda: isinstance(app.screen, ChangesScreen))
        await press(pilot, *"1: why?", "enter", *"half")
        wanted = SavedTexts(comments=(COMMENT,), typed="half")
        await until(pilot, lambda: wanted == drafts.load("s-1"))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: shown(app) == "s-1")
        await press(pilot, "r")
        await until(pilot, lambda: isinstance(app.screen, ChangesScreen) and "half" in frame(app))
        assert "why?" in frame(app)
        await press(pilot, "escape", "d")
        await until(pilot, lambda: isinstance(app.screen, DenyScreen))
        await press(pilot, *"bad")
        await until(pilot, lambda: drafts.load("s-1").reason == "bad")
        await press(pilot, "enter")
        await until(pilot, lambda: bool(engine.decided) and drafts.load("s-1") == SavedTexts())


@pytest.mark.parametrize("id", ["../x", "", "a/b", "s-1\n"])
def test_an_id_names_no_other_file(id: str) -> None:
    """Texts are only kept for what can be an ID."""
    drafts.save(id, SavedTexts(typed="x"))
    assert SavedTexts() == drafts.load(id)


async def test_the_question_is_no_taller_than_what_it_lists() -> None:
    """One decision with its reason, its comments and its permissions are four rows, within a frame."""
    left_by_a_killed_console(CHANGES)
    async with open_console(FakeEngine(case("s-1", "1")), preferences=SLOW) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, UnsentScreen))
        await until(pilot, lambda: app.screen.query_one(".sheet").region.height == 8)
