"""What a reviewer would be told stands beside the code while it is typed, and one key asks a reviewer."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from console.explore.editor import Editor
from console.explore.find.bar import FindBar
from console.explore.reviewer_view import MOST_EFFECTS, effect_lines, verdict_parts
from console.review.violations import ViolationList
from console.safety.text import paragraphs
from engine.analysis import analyse
from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Certainty,
    EffectKind,
    Language,
    PredictedEffect,
    Verdict,
)
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine, span, violation
from tests.console.support.harness import open_console, press, until


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty home."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))


def effect(value: str) -> PredictedEffect:
    """Return a file that is read in line 2."""
    return PredictedEffect(
        kind=EffectKind.READ, value=Untrusted(value), certainty=Certainty.EXACT, lines=(2,)
    )


def test_the_gravest_level_comes_with_the_verdict() -> None:
    """The number of violations is in the verdict; an incomplete analysis says so."""
    grave = Analysis(violations=(violation(span(1, 1, 5)),), verdict=Verdict.VIOLATIONS, complete=False)
    assert "▲ HIGH  1 violation  not completely analysed" == paragraphs(verdict_parts(grave)).plain
    assert "Proven harmless" == paragraphs(verdict_parts(Analysis(verdict=Verdict.HARMLESS))).plain


def test_what_writes_only_its_workspace_is_said_while_it_is_typed() -> None:
    """The files are named beside the level of the facts."""
    saving = analyse("import pandas as pd\npd.Series([1]).to_csv('report.csv')\n", Language.PYTHON)
    assert "Unproven; writes only its workspace: report.csv" in paragraphs(verdict_parts(saving)).plain


def test_each_effect_has_a_line_up_to_a_number() -> None:
    """More are counted, and none is said in words."""
    many = Analysis(effects=tuple(effect(f"/etc/{number}") for number in range(MOST_EFFECTS + 3)))
    lines = [paragraphs(line).plain for line in effect_lines(many)]
    assert "/etc/0  line 2" == " ".join(lines[0].split(maxsplit=1)[1:])
    assert " and 3 more effects" == lines[-1]
    assert [" No effect was found."] == [paragraphs(line).plain for line in effect_lines(Analysis())]


def test_a_syntax_error_is_called_one() -> None:
    """To its author it is no level of risk."""
    slip = violation(span(1, 1, 5)).model_copy(update={"rule": "py-syntax"})
    found = Analysis(violations=(slip,), verdict=Verdict.VIOLATIONS)
    assert "syntax error  1 violation" == paragraphs(verdict_parts(found)).plain
    rows = ViolationList(for_author=True)
    rows._violations = found.violations
    assert ("err", "bold error") == rows.draw(0, 0, 60)[1]


async def test_one_key_asks_a_reviewer_once_the_purpose_is_written() -> None:
    """alt+r asks for the purpose first; what it submits stays pending, also where its author could decide."""
    engine = FakeEngine()
    engine.decides = True
    async with open_console(engine) as (app, pilot):
        (await open_editor(app, pilot)).text = "print(1)"
        await press(pilot, "alt+r")
        await until(pilot, lambda: app.screen.query_one("#purpose", Input).has_focus)
        assert not engine.submitted
        app.screen.query_one("#purpose", Input).value = "Print one"
        await press(pilot, "alt+r")
        await until(pilot, lambda: "pending review" in plain(app))
        assert "Print one" == engine.submitted[0].purpose.text
        assert not engine.decided


async def test_a_line_feed_is_a_new_line() -> None:
    """Some terminals send it for Enter, and between lines that are pasted plainly."""
    async with open_console(FakeEngine()) as (app, pilot):
        await open_editor(app, pilot)
        await press(pilot, "a", "ctrl+j", "b")
        await until(pilot, lambda: "a\nb" == app.screen.query_one(Editor).text)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_what_is_typed_to_be_found_can_be_read(size: tuple[int, int]) -> None:
    """Both fields show their text at every size."""
    async with open_console(FakeEngine(), size=size) as (app, pilot):
        await press(pilot, "3")
        await until(pilot, lambda: bool(app.screen.query(FindBar)))
        await press(pilot, "ctrl+f", *"needle", "tab", *"thread")
        await until(pilot, lambda: "needle" in plain(app) and "thread" in plain(app))
