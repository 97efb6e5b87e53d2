"""Themes from YAML, strict: an unknown key or colour is named, and one bad file never stops the console."""

from __future__ import annotations

import re
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

from console.app.yaml_files import parse_mapping
from engine import locations
from engine.common.local_files import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_BYTES = 1 << 20

DEFAULT = "dark"
_SOURCE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class ThemeColours:
    """Every colour that the console uses, by what it is for."""

    background: str
    surface: str
    panel: str
    line: str
    """Borders that have no focus."""
    foreground: str
    muted: str
    """Labels and what matters less."""
    faint: str
    """Line numbers, rules, hints."""
    primary: str
    """The focus, the current screen, keys."""
    accent: str
    """The user's own actions."""
    success: str
    warning: str
    error: str
    cursor: str
    """Behind the chosen row."""
    risk_low: str
    risk_medium: str
    risk_high: str
    risk_critical: str
    mark_low: str
    """Behind the span of a violation."""
    mark_medium: str
    mark_high: str
    mark_critical: str
    found: str
    """Behind what a search found."""
    code_comment: str
    code_keyword: str
    code_name: str
    code_string: str
    code_number: str
    code_operator: str
    stdout: str
    stderr: str


@dataclass(frozen=True)
class ThemeFile:
    """One theme as its file defines it."""

    name: str
    title: str
    colours: ThemeColours
    dark: bool = True
    ansi: bool = False
    """Whether the terminal's own colours are used."""

    def theme(self) -> Theme:
        """Return the theme as an object of Textual."""
        colours = self.colours
        return Theme(
            name=self.name, dark=self.dark, ansi=self.ansi,
            primary=colours.primary, secondary=colours.muted, accent=colours.accent,
            foreground=colours.foreground, background=colours.background, surface=colours.surface,
            panel=colours.panel, success=colours.success, warning=colours.warning, error=colours.error,
            variables=_variables(colours),
        )  # fmt: skip


@dataclass(frozen=True)
class LoadedThemes:
    """The valid themes of the folders, and an error message for each invalid one."""

    themes: tuple[Theme, ...]
    problems: tuple[str, ...]


def shipped() -> Path:
    """Return the folder of the themes that ship with the program."""
    installed = _SOURCE / "_shipped" / "themes"
    return installed if installed.is_dir() else _SOURCE.parent / "themes"


def own() -> Path:
    """Return the folder of the user's own themes, which need not exist."""
    return locations.settings_file().parent / "themes"


def load(folders: Iterable[Path]) -> LoadedThemes:
    """Read every `*.yaml` of the folders; a later theme of the same name wins."""
    themes: dict[str, Theme] = {}
    problems = []
    for path in (path for folder in folders for path in sorted(folder.glob("*.yaml"))):
        try:
            theme = read(path).theme()
            themes[theme.name] = theme
        except ValueError as error:
            problems.append(f"{path.name}: {error}")
    return LoadedThemes(tuple(themes.values()), tuple(problems))


def read(path: Path) -> ThemeFile:
    """Read one theme file. Raises ValueError, which says what is wrong."""
    try:
        content = read_file(path, MAX_BYTES)
    except OSError as error:
        raise ValueError(" ".join(str(error).split())) from None
    values = _checked(parse_mapping(path, content).value, ThemeFile, "the file")
    _check_kinds(values)
    colours = _checked(values["colours"], ThemeColours, "colours")
    for name, value in colours.items():
        _check_colour(name, value)
    return ThemeFile(**(values | {"colours": ThemeColours(**colours)}))


def _checked(given: object, kind: type[ThemeFile | ThemeColours], place: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise ValueError(f"{place}: a mapping `key: value` is required")  # noqa: TRY004  all are one error to readers
    known = {field.name: field.default is MISSING for field in fields(kind)}
    if unknown := [str(key) for key in given if key not in known]:
        raise ValueError(f"{place}: unknown key {', '.join(unknown)}")
    if missing := [name for name, needed in known.items() if needed and name not in given]:
        raise ValueError(f"{place}: missing: {', '.join(missing)}")
    return given


def _check_kinds(values: dict[str, Any]) -> None:
    if not isinstance(values["name"], str) or not re.fullmatch("[a-z][a-z0-9-]{0,31}", values["name"]):
        raise ValueError("name: lower-case letters, digits and hyphens are required")
    if not isinstance(values["title"], str):
        raise ValueError("title: text is required")  # noqa: TRY004
    for name in ("dark", "ansi"):
        if not isinstance(values.get(name, True), bool):
            raise ValueError(f"{name}: true or false is required")  # noqa: TRY004


def _check_colour(name: str, value: object) -> None:
    try:
        Color.parse(value if isinstance(value, str) else "")
    except ColorParseError:
        raise ValueError(f"colours.{name}: {value!r} is not a colour: write #rrggbb or ansi_red") from None


def _variables(colours: ThemeColours) -> dict[str, str]:
    own_names = {name.replace("_", "-"): value for name, value in asdict(colours).items()}
    return own_names | {
        "ansi-background": colours.background,
        "ansi-foreground": colours.foreground,
        "border": colours.primary,
        "border-blurred": colours.line,
        "block-cursor-background": colours.cursor,
        "block-cursor-foreground": colours.foreground,
        "block-cursor-blurred-background": colours.cursor,
        "block-cursor-blurred-foreground": colours.foreground,
        "footer-background": colours.panel,
        "footer-foreground": colours.foreground,
        "footer-key-foreground": colours.primary,
        "footer-description-foreground": colours.muted,
        "scrollbar": colours.line,
        "scrollbar-hover": colours.faint,
        "scrollbar-active": colours.primary,
        "scrollbar-background": colours.background,
        "scrollbar-background-hover": colours.background,
        "scrollbar-background-active": colours.background,
        "scrollbar-corner-color": colours.background,
        "input-cursor-background": colours.accent,
        "input-cursor-foreground": colours.background,
        "input-selection-background": colours.cursor,
    }
