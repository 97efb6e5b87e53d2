"""The console: five places at one desk, over one line to the engine."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from console.app import textual_patches
from console.app.loading import LoadingScreen
from console.app.notifications import TerminalNotifications
from console.app.preferences import Preferences, load_preferences
from console.app.screens import SCREENS, place
from console.review.deciding import Deciding
from console.safety.safe_app import SafeApp
from console.theming.manager import ThemeManager

if TYPE_CHECKING:
    from textual.command import Provider

    from console.app.engine_link import Connect
    from engine.models import Summary

_GO = Binding.Group("Places", compact=True)


def _palette() -> type[Provider]:
    from console.app.commands import Commands  # noqa: PLC0415  on its first use

    return Commands


class ConsoleApp(Deciding, TerminalNotifications, ThemeManager, SafeApp):
    """The Textual app: where its keys are, how it opens, and how one moves about in it."""

    TITLE = "Pratique"
    CSS_PATH = "app.tcss"
    MODES = {name: place(name) for name in SCREENS}  # noqa: RUF012  Textual declares it so
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {_palette}  # noqa: RUF012  Textual declares it so
    COMMAND_PALETTE_BINDING = "ctrl+k"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012  Textual declares it so
        (0, "-narrow"),
        (100, "-medium"),
        (160, "-wide"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"go('{name}')", name.title(), id=f"go.{name}", show=False, group=_GO,
                    tooltip=f"Go to {name.title()}")
            for number, name in enumerate(SCREENS, start=1)
        ),
        Binding("question_mark,f1", "help", "Help", id="app.help", show=False,
                tooltip="What can be done here"),
        Binding("ctrl+g", "jump", "Jump", id="app.jump", show=False,
                tooltip="A letter goes to each part of the screen"),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", priority=True, show=False,
                tooltip="Leave the console; runs go on"),
        Binding("u", "undo", "Undo", id="decision.undo", tooltip="Take the last decision back"),
    ]  # fmt: skip

    def __init__(
        self,
        connect: Connect | None = None,
        preferences: Preferences | None = None,
        opened: Callable[[], None] = lambda: None,
    ) -> None:
        self._opened = opened
        textual_patches.patch_textual()
        super().__init__(connect)
        self.preferences, wrong = load_preferences() if preferences is None else (preferences, "")
        self.saves_preferences = preferences is None
        self._problems = [*self.dress(), *([wrong] if wrong else [])]

    # --- opening ----------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[None]:
        """Return the screen that is painted first."""
        return LoadingScreen(id="opening")

    def on_mount(self) -> None:
        """Paint first, load afterwards."""
        self.set_keymap(self.preferences.keymap)
        self.call_after_refresh(self._open)
        tidying = textual_patches.IdleCollector(self.key_guard, time.monotonic())
        self.set_interval(textual_patches.LOOK_SECONDS, lambda: tidying.look(time.monotonic()))

    def on_unmount(self) -> None:
        """Leave the terminal as it was."""
        self.restore_title()

    def watch_queue(self, queue: tuple[Summary, ...]) -> None:
        """Say outside of the frame how many wait."""
        self.announce(queue)

    def watch_link(self, link: str) -> None:
        """Show the tour to whoever sits here for the first time, once the engine answers."""
        if link == "connected":
            from console.app import onboarding  # noqa: PLC0415  the first frame comes before the nouns

            onboarding.offer(self)

    @work
    async def _open(self) -> None:
        for module in ("console.review.screen", "console.app.engine_link", "console.review.decisions"):
            await asyncio.to_thread(importlib.import_module, module)
        self.hold_decisions(self.preferences.undo_seconds)
        if self.current_mode == "_default":
            await self.switch_mode("review")
        self._problems += await self._take_keys()
        for problem in self._problems:
            self.notify(problem, severity="warning", timeout=10)
        self.keep_attached()
        self._follow_files()
        self._opened()

    async def _take_keys(self) -> list[str]:
        """Take the person's own keys in; return what is wrong with them."""
        if not (self.preferences.vim or self.preferences.keymap):
            self.set_keymap({})
            return []
        keymap = await asyncio.to_thread(importlib.import_module, "console.app.keymap")
        good, faults = await asyncio.to_thread(
            keymap.checked, self.preferences.keymap, self.preferences.keymap_lines
        )
        self.set_keymap((keymap.VIM if self.preferences.vim else {}) | good)
        return list(faults)

    def preferred(self, before: Preferences) -> None:
        """Take in what is preferred now: keys, and for how long a decision can be taken back."""
        if self.decisions is not None:
            self.decisions.seconds = self.preferences.undo_seconds
        if (before.vim, before.keymap) != (self.preferences.vim, self.preferences.keymap):
            self._renew_keys()

    @work(exclusive=True, group="keys")
    async def _renew_keys(self) -> None:
        for fault in await self._take_keys():
            self.notify(fault, severity="warning", timeout=10)

    @work(exclusive=True, group="files")
    async def _follow_files(self) -> None:
        await self.watch_files()

    # --- moving about -----------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to undo only what can be undone."""
        if action == "undo":
            return self.decisions is not None and self.decisions.held is not None
        return True

    async def action_go(self, place: str) -> None:
        """Go to one of the five places."""
        if place in SCREENS and not self.screen.is_modal:
            await self.switch_mode(place)

    def action_help(self) -> None:
        """Say what can be done here."""
        from console.help.help import HelpScreen  # noqa: PLC0415

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    @work
    async def action_jump(self) -> None:
        """Go to a part of the screen by its letter."""
        from console.help.jump import JumpScreen  # noqa: PLC0415  on its first use

        if not isinstance(self.screen, JumpScreen):
            widget = await self.push_screen_wait(JumpScreen(self.screen))
            self.screen.set_focus(widget) if widget is not None else None

    def action_command_palette(self) -> None:
        """Open the command palette, but not while the last one is on its way out."""
        from console.app.commands import leaving  # noqa: PLC0415  on its first use

        if not leaving(self):
            super().action_command_palette()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer everything that the keys offer, and the themes."""
        from console.app.commands import commands  # noqa: PLC0415

        yield from commands(self, screen)
