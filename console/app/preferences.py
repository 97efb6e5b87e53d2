"""The preferences of the user: `console.yaml` beside the settings of the engine, strict."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from engine import locations

KEY_COMBINATIONS_ONLY = frozenset({"review.approve", "approve.confirm", "pre-approval.confirm"})
"""Bindings that approve: they need ctrl, since replies of a terminal arrive as plain keys."""


@dataclass(frozen=True)
class Preferences:
    """The settings of the console."""

    theme: str = "dark"
    """The name of a theme: one that ships, or one of the user's own in `themes/`."""
    undo_seconds: float = 3.0
    """How long a decision can be taken back before it is sent."""
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
    """Where in the file each entry of the keymap stands."""


KEYS = tuple(each.name for each in fields(Preferences) if each.name != "keymap_lines")
_FLAGS = ("bell", "notify", "vim")
_PICTURES = ("auto", "cells", "kitty", "sixel")


def preferences_file() -> Path:
    """Return where the preferences lie, whether or not there are any."""
    return locations.settings_file().parent / "console.yaml"


def load_preferences() -> tuple[Preferences, str]:
    """Return the preferences, and a sentence about what is wrong with them; wrong ones are not used."""
    path = preferences_file()
    if not path.exists():
        return Preferences(), ""
    try:
        return parse_preferences(path.read_text(encoding="utf-8")), ""
    except yaml.MarkedYAMLError as error:
        at = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        return Preferences(), f"{path.name}: {at}{error.problem}"
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError) as error:
        return Preferences(), f"{path.name}: {' '.join(str(error).split())}"


def parse_preferences(text: str) -> Preferences:
    """Return the preferences that `text` says. Raises ValueError, in words for people and with the line."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is None:
        return Preferences()
    said, lines = _mapping(root, "the file")
    for name, value in said.items():
        if name not in KEYS:
            raise ValueError(f"line {lines[name]}: unknown setting {name}; available: {', '.join(KEYS)}")
        _check(name, value, lines[name])
    keymap_lines = {}
    if isinstance(root, yaml.MappingNode):
        nodes = [value for key, value in root.value if key.value == "keymap"]
        keymap_lines = _keymap(nodes[-1]) if nodes else {}
    return Preferences(**said, keymap_lines=keymap_lines)


def save_theme(name: str) -> None:
    """Write the choice of a theme into the file; whatever else stands there stays as it is."""
    path = preferences_file()
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    line = f"theme: {name}"
    changed, found = re.subn(r"(?m)^theme:.*$", line, text, count=1)
    if not found:
        changed = f"{line}\n{text}"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(changed, encoding="utf-8")
    fresh.replace(path)


def _mapping(node: yaml.Node, place: str) -> tuple[dict[str, Any], dict[str, int]]:
    if not isinstance(node, yaml.MappingNode):
        raise ValueError(f"line {_line(node)}: {place}: a mapping `key: value` is required")  # noqa: TRY004
    made = yaml.SafeLoader("")
    try:
        said = made.construct_document(node)
    finally:
        made.dispose()
    return {str(key): value for key, value in said.items()}, {k.value: _line(k) for k, _ in node.value}


def _keymap(node: yaml.Node) -> dict[str, int]:
    keymap, lines = _mapping(node, "keymap")
    for name, key in keymap.items():
        if not isinstance(key, str) or not key:
            raise ValueError(f"line {lines[name]}: keymap: {name}: a key is required, such as ctrl+d")
        if name in KEY_COMBINATIONS_ONLY and not all(
            each.strip().startswith("ctrl+") for each in key.split(",")
        ):
            raise ValueError(
                f"line {lines[name]}: keymap: {name}: a key combination with ctrl is required, such as ctrl+y"
            )
    return lines


def _check(name: str, value: object, line: int) -> None:
    if name == "undo_seconds" and (
        isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 30
    ):
        raise ValueError(f"line {line}: undo_seconds: a number from 0 to 30 is required")
    if name == "theme" and not isinstance(value, str):
        raise ValueError(f"line {line}: theme: a name is required")
    if name == "pictures" and value not in _PICTURES:
        raise ValueError(f"line {line}: pictures: one of {', '.join(_PICTURES)} is required")
    if name in _FLAGS and not isinstance(value, bool):
        raise ValueError(f"line {line}: {name}: true or false is required")
    if name == "keymap" and not isinstance(value, dict):
        raise ValueError(f"line {line}: keymap: `binding: key` is required")


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
