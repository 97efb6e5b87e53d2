"""What hides in a submission is on its first screen, without a key."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.code_view.view import CodeView
from console.review.answer.panel import AnswerPanel
from engine.common.level_reason import worst_violation
from engine.common.text import Untrusted
from engine.models import Case, Claim, Decision, DecisionOutcome, Level
from tests.console.review.test_answer import analysed, plain
from tests.console.support.fake_engine import ME, FakeEngine
from tests.console.support.harness import open_console, press, until
from tests.console.support.hidden_acts import EVERY, Sample

SIZES = [(80, 24), (120, 36), (200, 60)]


def judged(number: int, sample: Sample) -> Case:
    """Return a sample as it waits, with its real analysis."""
    draft = sample.draft
    known = analysed(draft.code.text, draft.language, draft.purpose.text, draft.permissions)
    worst = worst_violation(known.analysis)
    assert sample.bad == (worst is not None and worst.severity is Level.CRITICAL)
    renamed = known.submission.model_copy(update={"id": f"s-{number:02}"})
    return known.model_copy(update={"submission": renamed})


CASES = tuple(judged(number, sample) for number, sample in enumerate(EVERY))


def missing(shown: str, sample: Sample, case: Case) -> list[str]:
    """Return what a reviewer would have to press a key for: effects, and the line of the worst violation."""
    worst = worst_violation(case.analysis)
    words = " ".join(shown.replace("│", " ").split())
    lost = [each for each in sample.effects if each not in words]
    if worst is not None:
        line = sample.draft.code.text.split("\n")[worst.span.line - 1].strip()
        seen = re.search(rf"{worst.span.line}  +{re.escape(line[:50])}", shown)
        lost += [] if seen else [line]
    return lost


@pytest.mark.parametrize("size", SIZES)
async def test_of_twenty_submissions_the_worst_line_and_the_effects_need_no_key(
    size: tuple[int, int],
) -> None:
    """Five that hide an act and fifteen that hide nothing, opened one after the other in one console."""
    async with open_console(FakeEngine(*CASES), size) as (app, pilot):
        for number, (sample, case) in enumerate(zip(EVERY, CASES, strict=True)):
            await until(pilot, lambda id=case.submission.id: id in plain(app))  # type: ignore[misc]
            await settled(app, pilot)
            assert [] == missing(plain(app), sample, case), sample.name
            if number < len(EVERY) - 1:
                await press(pilot, "]")


async def test_a_resize_keeps_every_row_and_the_worst_line() -> None:
    """The table of effects gets the rows that it needs at the new size, and code keeps the rest."""
    sample, case = EVERY[0], CASES[0]
    async with open_console(FakeEngine(case), SIZES[0]) as (app, pilot):
        for size in (SIZES[2], SIZES[0], SIZES[1], SIZES[2], SIZES[1], SIZES[0]):
            await pilot.resize_terminal(*size)
            await settled(app, pilot)
            assert [] == missing(plain(app), sample, case), size


async def test_a_second_reviewer_sees_the_worst_line_on_a_small_screen() -> None:
    """A long reason of the first reviewer and a claim leave rows for code."""
    now = datetime.now(UTC)
    reason = Untrusted("It is what the team asked for. " * 20)
    first = Decision(submission=CASES[0].submission.id, digest=CASES[0].submission.digest, by=ME, at=now,
                     outcome=DecisionOutcome.APPROVED, reason=reason)  # fmt: skip
    claim = Claim(by=Untrusted("grace"), until=now + timedelta(minutes=5))
    known = CASES[0].model_copy(update={"reviews": (first,), "claim": claim})
    async with open_console(FakeEngine(known), SIZES[0]) as (app, pilot):
        await settled(app, pilot)
        assert [] == missing(plain(app), EVERY[0], known)
        assert "Claimed by grace" in plain(app)
        assert "Approved by" in plain(app)


async def settled(app: ConsoleApp, pilot: Pilot[None]) -> None:
    """Wait until the answer has the rows that it needs."""
    panel = app.screen.query_one(AnswerPanel)
    await until(pilot, lambda: panel.content_size.height == str(panel.render()).count("\n") + 1)
    await pilot.pause()


@pytest.mark.parametrize("size", [(100, 24), (100, 30), (120, 33), (159, 28), (200, 30)])
async def test_a_low_screen_has_room_for_code(size: tuple[int, int]) -> None:
    """However much the answer says, the gravest line is in view, with lines around it."""
    async with open_console(FakeEngine(*CASES[:2]), size) as (app, pilot):
        await until(pilot, lambda: app.screen.query_one(CodeView).region.height >= 5)
        await until(pilot, lambda: "os.dup2" in plain(app))
