"""The preferences of the console: strict, and an invalid file never keeps it from starting."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.app.preferences import Preferences, load_preferences, parse_preferences


def test_every_setting_can_be_set() -> None:
    """The values of the file are used."""
    said = "theme: light\nundo_seconds: 0\nbell: true\nkeymap:\n  review.deny: ctrl+d\n"
    wanted = Preferences(theme="light", undo_seconds=0, bell=True, keymap={"review.deny": "ctrl+d"})
    assert wanted == parse_preferences(said)


@pytest.mark.parametrize(
    "said",
    ["thme: light", "undo_seconds: soon", "undo_seconds: 99", "undo_seconds: true", "theme: 3", "keymap: [a]",
     "keymap: {review.deny: 3}", "- a", "bell: maybe"],
)  # fmt: skip
def test_wrong_settings_are_refused(said: str) -> None:
    """An unknown key or a value of the wrong kind is an error that names it."""
    with pytest.raises(ValueError, match=r"required|unknown setting"):
        parse_preferences(said)


def test_a_wrong_file_is_named_and_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The console opens with the defaults, and says what is wrong with the file."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    monkeypatch.delenv("PRATIQUE_CONFIG_FILE", raising=False)
    (tmp_path / "console.yaml").write_text("colour: blue", encoding="utf-8")
    preferences, problem = load_preferences()
    assert Preferences() == preferences
    assert problem.startswith("console.yaml: line 1: unknown setting colour")
