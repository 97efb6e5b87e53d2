"""Themes: those that ship are whole and readable; a wrong one is named and stops nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from console import theme
from console.preferences import Preferences
from tests.console.desk import desk
from tests.console.stand_in import StandIn

SHIPPED = sorted(theme.shipped().glob("*.yaml"))
TEXTS = ("foreground", "muted", "primary", "accent", "success", "warning", "error", "risk-low", "risk-medium",
         "risk-high", "risk-critical", "stdout", "stderr")  # fmt: skip


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
    """Every text has a contrast of 4.5 to what lies behind it; in the high-contrast theme, of 7."""
    colours = theme.read(path).theme().variables
    least = 7.0 if path.stem == "high-contrast" else 4.5
    poor = {
        (name, behind): round(contrast(colours[name], colours[behind]), 1)
        for name in TEXTS
        for behind in ("background", "surface", "panel")
        if contrast(colours[name], colours[behind]) < least
    }
    assert {} == poor


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('primary: "#6cb6ff"', 'primary: "#6cb6ff"\n  text: "#ffffff"', "no such key: text"),
        ('primary: "#6cb6ff"', 'primary: "bluish"', "colours.primary: 'bluish' is no colour"),
        ('  primary: "#6cb6ff"\n', "", "missing: primary"),
        ("dark: true", "dark: perhaps", "dark: true or false is wanted"),
        ("name: dark", "name: Dark One", "name: small letters"),
        ("colours:", "colours: [", "while parsing"),
    ],
)
def test_a_wrong_theme_is_named_with_its_fault(tmp_path: Path, old: str, new: str, said: str) -> None:
    """An unknown key, a wrong colour, a missing one: the file and the fault are named, other themes load."""
    text = (theme.shipped() / "dark.yaml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "mine.yaml").write_text(text.replace(old, new), encoding="utf-8")
    loaded = theme.load((theme.shipped(), tmp_path))
    assert 5 == len(loaded.themes)
    assert 1 == len(loaded.problems)
    assert loaded.problems[0].startswith("mine.yaml: ")
    assert said in loaded.problems[0]


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED])
async def test_the_console_opens_in_every_theme(name: str) -> None:
    """Every theme dresses every place."""
    async with desk(StandIn(), prefer=Preferences(theme=name)) as (app, pilot):
        assert name == app.theme
        for key in "23451":
            await pilot.press(key if key != "4" else "escape", key)
            await pilot.pause()
