"""What a person set for their console: `console.yaml` beside the settings of the engine, strict."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from engine import locations


@dataclass(frozen=True)
class Preferences:
    """The settings of the console."""

    theme: str = "dark"
    """The name of a theme: one that ships, or one of the user's own in `themes/`."""
    undo_seconds: float = 3.0
    """How long a decision can be taken back before it is sent."""
    bell: bool = False
    """Whether the terminal's bell rings when something begins to wait."""
    keymap: dict[str, str] = field(default_factory=dict)
    """Keys by the id of their binding: `review.deny: ctrl+d`."""


def file() -> Path:
    """Return where the preferences lie, whether or not there are any."""
    return locations.settings_file().parent / "console.yaml"


def load() -> tuple[Preferences, str]:
    """Return the preferences, and a sentence about what is wrong with them; wrong ones are not used."""
    path = file()
    if not path.exists():
        return Preferences(), ""
    try:
        return parse(path.read_text(encoding="utf-8")), ""
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError) as error:
        return Preferences(), f"{path.name}: {' '.join(str(error).split())}"


def parse(text: str) -> Preferences:
    """Return the preferences that `text` says. Raises ValueError, in words for people."""
    said = yaml.safe_load(text) or {}
    if not isinstance(said, dict):
        raise ValueError("a list of `key: value` is wanted")  # noqa: TRY004  all are one error to readers
    known = [each.name for each in fields(Preferences)]
    if unknown := [str(key) for key in said if key not in known]:
        raise ValueError(f"no such key: {', '.join(unknown)}; there are {', '.join(known)}")
    _check(said)
    return Preferences(**said)


def _check(said: dict[str, Any]) -> None:
    undo = said.get("undo_seconds", 0)
    if isinstance(undo, bool) or not isinstance(undo, int | float) or not 0 <= undo <= 30:
        raise ValueError("undo_seconds: a number from 0 to 30 is wanted")
    if not isinstance(said.get("theme", ""), str) or not isinstance(said.get("bell", False), bool):
        raise ValueError("theme: a name is wanted; bell: true or false")  # noqa: TRY004
    keymap = said.get("keymap", {})
    if not isinstance(keymap, dict) or not all(
        isinstance(part, str) for pair in keymap.items() for part in pair
    ):
        raise ValueError("keymap: `binding: key` is wanted")
