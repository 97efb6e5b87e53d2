"""The keys: each has a group, the user's keymap is checked by line, approving needs a key combination."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.app import keymap
from console.app.preferences import (
    KEY_COMBINATIONS_ONLY,
    Preferences,
    load_preferences,
    parse_preferences,
    preferences_file,
)
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until


def test_every_binding_is_in_a_group_that_has_a_title() -> None:
    """What stands before the dot of an id is the name of a group."""
    ids = [each.id or "" for own in keymap.bindings().values() for each in own]
    assert len(ids) > 50
    assert [] == [id for id in ids if id.partition(".")[0] not in keymap.GROUPS]


def test_every_binding_says_what_it_does_and_is_the_only_one_of_its_id() -> None:
    """Each has an id of its own, a name and a tooltip, in every class of the console."""
    found = [each for own in keymap.bindings().values() for each in own]
    assert len({each.id for each in found}) == len(found)
    assert [] == [each.id for each in found if not (each.description and each.tooltip)]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("review.dney: ctrl+d", "unknown binding review.dney; available: review.ac"),
        ("nothing.at-all: x", "unknown binding nothing.at-all; press ? to list them"),
        ("review.deny: ctl+d", "'ctl+d' is not a key"),
        ("review.deny: n", "n is already the key of review.next"),
        ("review.deny: u", "u is already the key of decision.undo"),
        ("go.run: V", "V is already the key of history.verify"),
    ],
)
def test_a_wrong_entry_is_named_with_its_line(entry: str, said: str) -> None:
    """A wrong entry is not used; the others are."""
    parsed = parse_preferences(f"bell: true\nkeymap:\n  go.health: H\n  {entry}\n")
    good, faults = keymap.checked(parsed.keymap, parsed.keymap_lines)
    assert {"go.health": "H"} == good
    assert 1 == len(faults)
    assert faults[0].startswith("console.yaml: line 4: keymap: ")
    assert said in faults[0]


@pytest.mark.parametrize("key", ["a", "enter", "ctrl+y,y"])
@pytest.mark.parametrize("id", sorted(KEY_COMBINATIONS_ONLY))
def test_no_plain_key_may_approve(id: str, key: str) -> None:
    """A keymap that would approve by one plain key is refused as a whole."""
    with pytest.raises(ValueError, match=f"line 2: keymap: {id}: a key combination with ctrl is required"):
        parse_preferences(f"keymap:\n  {id}: {key}\n")


@pytest.mark.parametrize(
    "key", ["x", "X", "ctrl+x", "f5", "question_mark", "pagedown", "alt+left", "+", "ctrl++"]
)
def test_what_a_terminal_can_send_is_a_key(key: str) -> None:
    """Characters, named keys and both with modifiers are keys."""
    assert keymap.is_key(key)


def test_what_is_not_yaml_is_named_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be parsed is one sentence, with the line."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    preferences_file().write_text("keymap:\n  go.health: H\n bad: [\n", encoding="utf-8")
    assert (
        "console.yaml: line 3: expected <block end>, but found '<block mapping start>'"
        == load_preferences()[1]
    )


async def test_keys_are_taken_in_as_the_file_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key set while the console is open works at once; a broken file leaves all as it was."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    (tmp_path / "console-welcomed").touch()
    async with open_console(FakeEngine(), preferences=None) as (app, pilot):
        preferences_file().write_text(
            "vim: true\nundo_seconds: 9\nkeymap:\n  go.history: J\n", encoding="utf-8"
        )
        await until(pilot, lambda: app.preferences.vim)
        await until(pilot, lambda: app._keymap.get("go.history") == "J")
        assert app.decisions is not None
        assert 9 == app.decisions.undo_seconds
        preferences_file().write_text("keymap: [\n", encoding="utf-8")
        await until(pilot, lambda: "console.yaml: line" in frame(app))
        await press(pilot, "J")
        await until(pilot, lambda: app.current_mode == "history")
        preferences_file().unlink()
        await until(pilot, lambda: not app._keymap)


async def test_the_keys_of_vim_are_an_option() -> None:
    """With `vim: true`, G goes to the last row of a list."""
    engine = FakeEngine(*(case(f"s-{number}", f"print({number})") for number in range(5)))
    async with open_console(engine, preferences=Preferences(undo_seconds=0, vim=True)) as (app, pilot):
        await press(pilot, "4")
        table = app.screen.query_one("HistoryTable")
        await until(pilot, lambda: getattr(table, "count", 0) == 5)
        table.focus()
        await press(pilot, "G")
        await until(pilot, lambda: getattr(table, "cursor", 0) == 4)
