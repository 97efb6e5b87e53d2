"""The preferences of the user: `console.yaml` beside the settings of the engine, strict."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

from console.app.yaml_files import parse_mapping
from engine import locations
from engine.common.local_files import read_file, write_private

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 1 << 20

KEY_COMBINATIONS_ONLY = frozenset({"review.approve", "approve.confirm", "pre-approval.confirm"})
"""Bindings that approve: they need ctrl, since replies of a terminal arrive as plain keys."""


@dataclass(frozen=True)
class Preferences:
    """The settings of the console."""

    theme: str = "dark"
    """The name of a theme: one that ships, or one of the user's own in `themes/`."""
    undo_seconds: float = 3.0
    """How long a decision can be undone before it is sent."""
    reading_seconds: float = 0.05
    """How long each new line has to be displayed until it counts as read."""
    bell: bool = False
    """Whether the terminal's bell rings when something becomes pending."""
    notify: bool = False
    """Whether the terminal is asked (OSC 9) to show a notification when something becomes pending."""
    vim: bool = False
    """Whether lists, code and output also move by vim's keys, and Explore's editor has its modes."""
    pictures: str = "auto"
    """How pictures are drawn: `auto`, `cells`, or by the terminal's own graphics, `kitty` or `sixel`."""
    keymap: dict[str, str] = field(default_factory=dict)
    """Keys by the id of their binding: `review.deny: ctrl+d`."""
    keymap_lines: dict[str, int] = field(default_factory=dict, compare=False)
    """The line of each entry of the keymap."""


KEYS = tuple(each.name for each in fields(Preferences) if each.name != "keymap_lines")
_FLAGS = ("bell", "notify", "vim")
_PICTURES = ("auto", "cells", "kitty", "sixel")


def preferences_file() -> Path:
    """Return the path of the preferences, which need not exist."""
    return locations.settings_file().parent / "console.yaml"


def load_preferences() -> tuple[Preferences, str]:
    """Return the preferences, and an error message; without valid ones, the defaults."""
    path = preferences_file()
    if not path.exists():
        return Preferences(), ""
    try:
        return parse_preferences(read_file(path, MAX_BYTES)), ""
    except (OSError, ValueError) as error:
        return Preferences(), f"{path.name}: {' '.join(str(error).split())}"


def parse_preferences(content: str | bytes) -> Preferences:
    """Return the preferences in the content of a file. Raises ValueError, with the line of what is wrong."""
    content = content.encode() if isinstance(content, str) else content
    document = parse_mapping(preferences_file(), content)
    for name, value in document.value.items():
        line = document.place((name,)).line
        if name not in KEYS:
            raise ValueError(f"line {line}: unknown setting {name}; available: {', '.join(KEYS)}")
        _check(name, value, line)
    keymap = document.value.get("keymap", {})
    lines = {id: document.place(("keymap", id)).line for id in keymap}
    _check_keymap(keymap, lines)
    return Preferences(**document.value, keymap_lines=lines)


def save_theme(name: str) -> None:
    """Write the choice of a theme into the file; the rest of it stays as it is."""
    path = preferences_file()
    text = read_file(path, MAX_BYTES).decode() if path.exists() else ""
    line = f"theme: {name}"
    changed, found = re.subn(r"(?m)^theme:.*$", line, text, count=1)
    if not found:
        changed = f"{line}\n{text}"
    write_private(path, changed.encode())


def _check_keymap(keymap: Mapping[str, object], lines: Mapping[str, int]) -> None:
    for id, keys in keymap.items():
        if not isinstance(keys, str) or not keys:
            raise ValueError(f"line {lines[id]}: keymap: {id}: a key is required, such as ctrl+d")
        if id in KEY_COMBINATIONS_ONLY and not all(
            each.strip().startswith("ctrl+") for each in keys.split(",")
        ):
            raise ValueError(
                f"line {lines[id]}: keymap: {id}: a key combination with ctrl is required, such as ctrl+y"
            )


def _check(name: str, value: object, line: int) -> None:
    if name == "undo_seconds" and (
        isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 30
    ):
        raise ValueError(f"line {line}: undo_seconds: a number from 0 to 30 is required")
    if name == "reading_seconds" and (
        isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2
    ):
        raise ValueError(f"line {line}: reading_seconds: a number from 0 to 2 is required")
    if name == "theme" and not isinstance(value, str):
        raise ValueError(f"line {line}: theme: a name is required")
    if name == "pictures" and value not in _PICTURES:
        raise ValueError(f"line {line}: pictures: one of {', '.join(_PICTURES)} is required")
    if name in _FLAGS and not isinstance(value, bool):
        raise ValueError(f"line {line}: {name}: true or false is required")
    if name == "keymap" and not isinstance(value, dict):
        raise ValueError(f"line {line}: keymap: `binding: key` is required")
