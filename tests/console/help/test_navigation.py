"""Navigation: jump mode, Help from the bindings, the welcome, and the terminal's title and notifications."""

from __future__ import annotations

import asyncio
import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
from textual import work
from textual._styles_cache import StylesCache
from textual.app import ComposeResult
from textual.binding import Binding
from textual.command import CommandPalette
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widgets import Static
from textual.widgets._footer import FooterKey

from console.app.app import ConsoleApp
from console.app.crash import is_after_close
from console.app.keymap import GROUPS
from console.app.notifications import TerminalNotifications
from console.app.preferences import Preferences
from console.app.textual_patches import COLLECT_SECONDS, IDLE_SECONDS, PAUSE_SECONDS, IdleCollector
from console.explore.editor import Editor
from console.help.help import FRAME_CELLS, WIDEST, WITH_IDS, HelpScreen, _lines, lines
from console.help.jump import JumpScreen
from console.help.welcome import WelcomeScreen
from console.history.table import HistoryTable
from console.review.screen import ReviewScreen
from console.safety.key_guard import KeyGuard
from console.safety.text import content, paragraphs
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until


async def test_a_letter_jumps_to_a_part_of_the_screen() -> None:
    """In jump mode the letter over a part focuses it; Esc focuses nothing else."""
    async with open_console(FakeEngine(case("s-1", "print(1)"))) as (app, pilot):
        await press(pilot, "3")
        await until(pilot, lambda: isinstance(app.focused, Editor))
        await press(pilot, "ctrl+g")
        await until(pilot, lambda: isinstance(app.screen, JumpScreen))
        await press(pilot, "s")
        await until(pilot, lambda: not app.screen.is_modal and not isinstance(app.focused, Editor))
        before = app.focused
        await press(pilot, "ctrl+g", "escape")
        assert before is app.focused


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_the_columns_of_help_do_not_touch(size: tuple[int, int]) -> None:
    """Between a key's name, what it does and its ID are blanks, and the ID stands in the same line."""
    async with open_console(FakeEngine(), size) as (app, _):
        width = min(WIDEST, size[0] * 96 // 100) - FRAME_CELLS
        for binding in ReviewScreen.BINDINGS:
            assert isinstance(binding, Binding)
            first = content(*_lines(app.screen, binding)[0]).plain
            assert len(first) <= width
            assert f" {binding.description} " in first
            assert width < WITH_IDS or first.endswith(f" {binding.id}")


async def test_a_palette_that_did_not_get_out_is_in_nobodys_way() -> None:
    """Where the last one stopped on its way out, the next one opens all the same."""
    async with open_console(FakeEngine(case("s-1", "print(1)"))) as (app, pilot):
        await press(pilot, "ctrl+k")
        last = app.screen
        await press(pilot, "escape")
        await until(pilot, lambda: not last.is_running and last not in app._nodes)
        app._nodes._append(last)
        await press(pilot, "ctrl+k")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        assert last is not app.screen


class Hasty(Screen[None]):
    """A screen that is closed while its worker waits."""

    found = False

    def compose(self) -> ComposeResult:
        """Lay out what the worker fills in."""
        yield Static(id="filled")

    @work
    async def on_mount(self) -> None:
        """Close, and look for what is not there any more."""
        self.app.pop_screen()
        while self.query("#filled"):
            await asyncio.sleep(0)
        Hasty.found = True
        self.query_one("#filled")


async def test_an_answer_that_comes_after_its_screen_was_closed_breaks_nothing() -> None:
    """A worker that finds its screen gone ends, and the console goes on."""
    async with open_console(FakeEngine(case("s-1", "print(1)"))) as (app, pilot):
        app.push_screen(Hasty())
        await until(pilot, lambda: Hasty.found)
        await press(pilot, "1")
        assert app.is_running


async def test_a_timer_that_comes_after_its_screen_was_closed_breaks_nothing() -> None:
    """What it does not find there any more is no fault; what is missing on a screen that is open is one."""
    async with open_console(FakeEngine(case("s-1", "print(1)"))) as (app, pilot):
        closed = HelpScreen(app.screen)
        app.push_screen(closed)
        await until(pilot, lambda: app.screen is closed)
        missing = NoMatches("no such part")
        with closed._context():
            assert not is_after_close(missing)
        await press(pilot, "escape")
        with closed._context():
            assert is_after_close(missing)
            assert is_after_close(ExceptionGroup("tasks", [missing, missing]))
            assert not is_after_close(ExceptionGroup("tasks", [missing, ValueError("a fault")]))


async def test_nothing_is_kept_of_what_was_closed() -> None:
    """Going from place to place and closing screens leaves neither keys of the footer nor drawn lines."""
    async with open_console(FakeEngine(case("s-1", "print(1)"))) as (_, pilot):
        await press(pilot, "2", "4", "1", "question_mark", "escape")
        before = _kept()
        for _ in range(3):
            await press(pilot, "2", "4", "1", "question_mark", "escape")
        await until(pilot, lambda: _kept() <= before)


def _kept() -> int:
    gc.collect()
    return sum(isinstance(each, FooterKey | StylesCache) for each in gc.get_objects())


async def test_help_lists_every_key_of_the_place_in_groups() -> None:
    """Each binding that has a tooltip is listed once, below the title of its group, with its id."""
    async with open_console(FakeEngine(case("s-1", "print(1)"))) as (app, pilot):
        await press(pilot, "4")
        text = paragraphs(*lines(app.screen)).plain
        declared = [*app.screen.BINDINGS, *HistoryTable.BINDINGS]
        own = {each.id for each in declared if isinstance(each, Binding) and each.tooltip}
        assert own
        assert [] == [id for id in own if text.count(f" {id}\n") != 1]
        assert {"History", "Lists", "Screens", "Everywhere"} <= set(text.split("\n")) & set(GROUPS.values())
        await press(pilot, "question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await press(pilot, "pagedown")


@pytest.mark.parametrize("waits", [True, False], ids=["pending", "empty"])
async def test_the_tour_is_shown_once_and_never_over_what_waits(
    waits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first-time user sees it where nothing is pending; a number goes on from it."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    engine = FakeEngine(*([case("s-1", "print(1)")] if waits else []))
    async with open_console(engine, preferences=None) as (app, pilot):
        assert waits is not isinstance(app.screen, WelcomeScreen)
        await press(pilot, "4")
        await until(pilot, lambda: app.current_mode == "history" and not app.screen.is_modal)
    async with open_console(FakeEngine(), preferences=None) as (app, pilot):
        assert waits is isinstance(app.screen, WelcomeScreen)


@pytest.mark.parametrize("key", ["3", "question_mark", "down", ""], ids=["place", "help", "move", "nothing"])
async def test_the_tour_never_comes_over_what_somebody_began(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who presses a key before the engine responds is not interrupted, and welcomed the next time."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    engine, answers = FakeEngine(), asyncio.Event()

    async def connect() -> Any:
        await answers.wait()
        return engine

    app = ConsoleApp(connect)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.current_mode == "review")
        await press(pilot, *([key] if key else []))
        answers.set()
        await until(pilot, lambda: app.connection_state == "connected")
        await pilot.pause()
        assert (key == "") is isinstance(app.screen, WelcomeScreen)
    async with open_console(FakeEngine(), preferences=None) as (app, pilot):
        assert (key != "") is isinstance(app.screen, WelcomeScreen)


async def test_the_terminal_shows_how_many_are_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    """The title has the number; bell and notice come when it grows, where they are enabled."""
    sent: list[str] = []
    monkeypatch.setattr(TerminalNotifications, "write", lambda self, sequence: sent.append(sequence))
    preferences = Preferences(undo_seconds=0, notify=True)
    engine = FakeEngine(case("s-1", "print(1)"))
    async with open_console(engine, preferences=preferences) as (_, pilot):
        await until(pilot, lambda: any("Pratique (1 pending)" in each for each in sent))
        engine.put(case("s-2", "print(2)"))
        await until(pilot, lambda: "\x1b]9;Pratique: 2 pending\x07" in sent)
    assert "\x1b[23;2t" == sent[-1]


async def test_the_palette_offers_what_the_keys_do_but_no_approval() -> None:
    """Every place, every theme and the keys of the place are there by name; approving is not."""
    async with open_console(FakeEngine(case("s-1", "print(1)"))) as (app, _):
        titles = [each.title for each in app.get_system_commands(app.screen)]
        assert {"Health (5)", "Theme: light", "Welcome", "Quit"} <= set(titles)
        assert "Deny (d)" in titles
        assert "Help" in frame(app)


def test_memory_is_tidied_between_keys() -> None:
    """A full collection waits until no key is pressed, and comes at most twice a minute."""
    keys = KeyGuard()
    collector = IdleCollector(keys, now=0)
    assert not collector.check(COLLECT_SECONDS - 1)
    keys.record_key(COLLECT_SECONDS)
    assert not collector.check(COLLECT_SECONDS + IDLE_SECONDS / 2)
    assert collector.check(COLLECT_SECONDS + IDLE_SECONDS)
    assert not collector.check(2 * COLLECT_SECONDS)
    assert collector.check(2 * COLLECT_SECONDS + 1)


def test_what_is_newest_is_tidied_in_a_pause_between_two_keys() -> None:
    """A closed cycle is gone before the next key, so that no frame waits for it."""
    keys = KeyGuard()
    collector = IdleCollector(keys, now=0)
    keys.record_key(1)
    gc.disable()
    try:
        cycle = KeyGuard()
        cycle.itself = cycle  # type: ignore[attr-defined]
        kept = weakref.ref(cycle)
        del cycle
        collector.check(1 + PAUSE_SECONDS / 2)
        assert None is not kept()
        collector.check(1 + PAUSE_SECONDS)
        assert None is kept()
    finally:
        gc.enable()
