"""Themes: those that ship are whole and readable; a wrong one is named and stops nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.color import Color

from console.app.preferences import Preferences
from console.theming import theme
from console.widgets import formatting
from engine.models import Level
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until

COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:[349][1-6]|[34]8)(?:;[0-9;]*)?m")
SHIPPED = sorted(theme.shipped().glob("*.yaml"))
TEXTS = ("foreground", "muted", "faint", "primary", "accent", "success", "warning", "error", "risk-low",
         "risk-medium", "risk-high", "risk-critical", "stdout", "stderr")  # fmt: skip
BEHIND = ("background", "surface", "panel", "cursor")
CODE = ("foreground", "code-comment", "code-keyword", "code-name", "code-string", "code-number",
        "code-operator")  # fmt: skip
BEHIND_CODE = (*BEHIND, "found", "mark-low", "mark-medium", "mark-high", "mark-critical")
PAIRS = [(name, behind) for name in TEXTS for behind in BEHIND]
CODE_PAIRS = [(name, behind) for name in CODE for behind in BEHIND_CODE] + [("background", "accent")]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2 measures it."""
    first, second = sorted((luminance(Color.parse(each)) for each in (one, other)), reverse=True)
    return (first + 0.05) / (second + 0.05)


def luminance(colour: Color) -> float:
    """Return the relative luminance of a colour."""
    parts = [each / 255 for each in colour.rgb]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_five_themes_ship() -> None:
    """Dark, light, high contrast, colour-blind safe and the terminal's own: all without a fault."""
    loaded = theme.load((theme.shipped(),))
    assert ((), {"ansi16", "colour-blind", "dark", "high-contrast", "light"}) == (
        loaded.problems,
        {each.name for each in loaded.themes},
    )


@pytest.mark.parametrize(
    "path", [each for each in SHIPPED if each.stem != "ansi16"], ids=lambda path: path.stem
)
def test_text_can_be_read(path: Path) -> None:
    """Every text has a contrast of 4.5 to all that may lie behind it; in the high-contrast theme, of 7."""
    colours = theme.read(path).theme().variables
    least = 7.0 if path.stem == "high-contrast" else 4.5
    poor = {(*pair, each) for pairs, asked in ((PAIRS, least), (CODE_PAIRS, 4.5)) for pair in pairs
            if (each := round(contrast(*(colours[name] for name in pair)), 2)) < asked}  # fmt: skip
    assert set() == poor


@pytest.mark.parametrize(
    "path", [each for each in SHIPPED if each.stem != "ansi16"], ids=lambda path: path.stem
)
def test_levels_stand_out_from_every_background(path: Path) -> None:
    """The sign of a level, of focus and of a person's own doing has a contrast of 3 to every background."""
    colours = theme.read(path).theme().variables
    signs = ("risk-low", "risk-medium", "risk-high", "risk-critical", "primary", "accent")
    pairs = [(sign, behind) for sign in signs for behind in BEHIND_CODE]
    assert [] == [pair for pair in pairs if contrast(*(colours[name] for name in pair)) < 3]


def test_every_level_has_a_shape_of_its_own() -> None:
    """Without any colour, the levels differ by their shape and by their letter."""
    assert 4 == len(set(formatting.SHAPES.values())) == len({formatting.badge(each)[0][-1] for each in Level})


@pytest.mark.parametrize("without", [True, False], ids=["NO_COLOR", "colour"])
async def test_no_color_is_heeded(without: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where NO_COLOR is set, no frame holds a colour; where it is not, one does."""
    monkeypatch.setenv("NO_COLOR", "1") if without else monkeypatch.delenv("NO_COLOR", raising=False)
    async with open_console(FakeEngine(case("s-1", "import os"))) as (app, _):
        assert without is not bool(COLOUR.search(frame(app)))


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home of the program."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    monkeypatch.delenv("PRATIQUE_CONFIG_FILE", raising=False)
    return tmp_path


async def test_a_theme_is_reloaded_when_its_file_changes(own_home: Path) -> None:
    """What a person writes into their theme is on screen a moment later."""
    text = (theme.shipped() / "dark.yaml").read_text(encoding="utf-8").replace("name: dark", "name: mine")
    mine = own_home / "themes" / "mine.yaml"
    mine.parent.mkdir()
    mine.write_text(text, encoding="utf-8")
    async with open_console(FakeEngine(), preferences=Preferences(theme="mine")) as (app, pilot):
        mine.write_text(text.replace('background: "#0f141b"', 'background: "#2f0000"'), encoding="utf-8")
        await until(pilot, lambda: app.screen.styles.background.hex == "#2F0000", 60)
        assert "mine" == app.theme


async def test_a_theme_is_tried_on_in_the_palette_and_kept_when_chosen(own_home: Path) -> None:
    """Moving over a theme shows it; Esc puts the old one back; Enter keeps it for the next time."""
    (own_home / "console-welcomed").touch()
    (own_home / "console.yaml").write_text("# mine\nundo_seconds: 0\n", encoding="utf-8")
    async with open_console(FakeEngine(), preferences=None) as (app, pilot):
        for end, wanted in (("escape", "dark"), ("enter", "light")):
            await press(pilot, "ctrl+k", *"theme light")
            await until(pilot, lambda: app.theme == "light")
            await press(pilot, end)
            await until(pilot, lambda wanted=wanted: app.theme == wanted and not app.screen.is_modal)  # type: ignore[misc]
    assert "theme: light\n# mine\nundo_seconds: 0\n" == (own_home / "console.yaml").read_text()
