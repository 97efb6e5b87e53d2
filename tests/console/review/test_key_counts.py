"""How many keys a decision takes, apart from the text that is typed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from console.review.approve import ApproveScreen
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, Level, Permissions, Verdict
from tests.console.review.test_review import armed
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import open_console, press, until

APPROVED, DENIED = DecisionOutcome.APPROVED, DecisionOutcome.DENIED
CHANGES = DecisionOutcome.CHANGES_REQUESTED


def harmless(wanted: Permissions | None = None) -> Case:
    """Return a submission that is proven harmless."""
    waiting = case("s-1", "print(1)\n", level=Level.MEDIUM, wanted=wanted)
    proven = waiting.analysis.model_copy(update={"verdict": Verdict.HARMLESS})
    return waiting.model_copy(update={"analysis": proven})


@pytest.mark.parametrize(
    ("outcome", "most", "keys"),
    [
        (APPROVED, 2, ["ctrl+y", "ctrl+y"]),
        (DENIED, 2, ["d", "no", "enter"]),
        (APPROVED, 4, ["ctrl+y", "tab", "space", "ctrl+y"]),
        (CHANGES, 4, ["r", "1: why?", "enter", "enter"]),
    ],
    ids=["a harmless one", "a denial", "without a permission", "one comment"],
)
async def test_a_decision_takes_few_keys(outcome: DecisionOutcome, most: int, keys: list[str]) -> None:
    """Two for a harmless one, two and a reason, four without a permission, four and a comment."""
    typed = {"no", "1: why?"}
    wanted = Permissions(domains=(Untrusted("a.example"),)) if "space" in keys else None
    engine = FakeEngine(harmless(wanted))
    assert most >= sum(key not in typed for key in keys)
    async with open_console(engine) as (app, pilot):
        await armed(app, pilot)
        for key in keys:
            sheet = app.screen
            if isinstance(sheet, ApproveScreen):
                await until(pilot, _over(sheet))
            await press(pilot, *(key if key in typed else [key]))
        await until(pilot, lambda: bool(engine.decided))
        assert outcome is engine.decided[0][1]
        grant = engine.decided[0][4]
        assert (grant is not None) == (wanted is not None)


def _over(sheet: ApproveScreen) -> Callable[[], bool]:
    return lambda: sheet.delay.over
