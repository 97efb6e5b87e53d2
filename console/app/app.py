"""The console: the Textual app with five screens, connected to the engine."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import events, on, work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.filter import LineFilter
from textual.reactive import reactive
from textual.screen import Screen

from console.app import textual_patches
from console.app.connection import Connect, EngineConnection
from console.app.hangup import HangupWatch, watch_terminal
from console.app.loading import LoadingScreen
from console.app.notifications import TerminalNotifications
from console.app.preferences import Preferences, load_preferences
from console.app.screens import SCREENS, screen_factory
from console.app.user_keymap import UserKeymap
from console.safety.key_guard import KeyGuard
from console.safety.line_filter import UnsafeTextFilter
from console.theming.manager import ThemeManager
from console.widgets.rows import LOW

if TYPE_CHECKING:
    from textual.command import Provider

    from console.review.decision_controller import DecisionController
    from engine.models import Health, QueueEntry, Summary

_GO = Binding.Group("Screens", compact=True)


def _palette() -> type[Provider]:
    from console.app.commands import CommandProvider  # noqa: PLC0415  on its first use

    return CommandProvider


class ConsoleApp(App[None]):
    """Starts the console, and holds its connection, decisions, themes, preferences and safeguards."""

    TITLE = "Pratique"
    CSS_PATH = "app.tcss"
    MODES = {name: screen_factory(name) for name in SCREENS}  # noqa: RUF012  Textual declares it so
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {_palette}  # noqa: RUF012  Textual declares it so
    COMMAND_PALETTE_BINDING = "ctrl+k"
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012  Textual declares it so
        (0, "-narrow"),
        (100, "-medium"),
        (160, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high")]  # noqa: RUF012  Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"go('{name}')", name.title(), id=f"go.{name}", show=False, group=_GO,
                    tooltip=f"Go to {name.title()}")
            for number, name in enumerate(SCREENS, start=1)
        ),
        Binding("question_mark,f1", "help", "Help", id="app.help", show=False,
                tooltip="Keys and help for this screen"),
        Binding("ctrl+g", "jump", "Jump", id="app.jump", show=False,
                tooltip="Jump to a part of the screen by its letter"),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", priority=True, show=False,
                tooltip="Quit the console; runs continue"),
        Binding("u", "undo", "Undo", id="decision.undo", tooltip="Undo the last decision"),
        Binding("f7", "send_now", "Send now", id="decision.send-now", show=False,
                tooltip="Send the last decision now: it cannot be undone any more"),
    ]  # fmt: skip

    queue: reactive[tuple[Summary, ...]] = reactive[tuple["Summary", ...]]((), repaint=False)
    health: reactive[Health | None] = reactive["Health | None"](None, repaint=False)
    connection_state: reactive[str] = reactive("connecting", repaint=False)
    """`connecting`, `connected` or `offline`."""

    def __init__(
        self,
        connect: Connect | None = None,
        preferences: Preferences | None = None,
        opened: Callable[[], None] = lambda: None,
    ) -> None:
        textual_patches.share_colour_cache()
        textual_patches.measure_long_texts_quickly()
        self._text_filter = UnsafeTextFilter()
        self.key_guard = KeyGuard()
        super().__init__()
        self._opened = opened
        self.queue_entries: dict[str, QueueEntry] = {}
        """What the engine says of each submission of the queue, by ID."""
        self.preferences, wrong = load_preferences() if preferences is None else (preferences, "")
        self.saves_preferences = preferences is None
        self._user_keymap = UserKeymap(self)
        self.connection = EngineConnection(self, connect)
        self.decisions: DecisionController | None = None
        """Sends decisions; None until the first screen is loaded."""
        self.terminal = TerminalNotifications(self)
        self.themes = ThemeManager(self, saves=self.saves_preferences)
        self._problems = [*self.themes.load(), *([wrong] if wrong else [])]
        self._hangup: HangupWatch | None = None

    # --- safeguards -------------------------------------------------------------------------------

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Apply the filter of unsafe text after every other filter."""
        return [*super().get_line_filters(), self._text_filter]

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a notification; its text is made visible and never read as markup."""
        from console.safety.text import visible_text  # noqa: PLC0415  the first frame is painted before it loads

        text = visible_text(message, keep="\n")
        super().notify(text, title=visible_text(title), severity=severity, timeout=timeout, markup=False)

    async def on_event(self, event: events.Event) -> None:
        """Record keys and mouse buttons before anything acts on them."""
        self.key_guard.record(event)
        await super().on_event(event)

    def _handle_exception(self, error: Exception) -> None:
        from console.app.crash import is_after_close  # noqa: PLC0415  only after a crash

        if not is_after_close(error):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # Textual's own report prints the values of variables: a guest's code, and secrets.
        from console.app.crash import crash_report  # noqa: PLC0415  only after a crash

        self._exit_renderables.append(crash_report())
        self._close_messages_no_wait()

    @property
    def queue_seconds(self) -> float:
        """How long after an event the queue is fetched."""
        open_one = self.screen_stack[0] if self.screen_stack else None
        return float(getattr(open_one, "QUEUE_SECONDS", 0.0))

    # --- start ------------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[None]:
        """Return the screen that is painted first."""
        return LoadingScreen(id="loading")

    def on_mount(self) -> None:
        """Paint first, load afterwards."""
        self.set_keymap(self.preferences.keymap)
        self._hangup = None if self.is_headless else watch_terminal()
        self.call_after_refresh(self._start)
        collector = textual_patches.IdleCollector(self.key_guard, time.monotonic())
        self.set_interval(textual_patches.CHECK_SECONDS, lambda: collector.check(time.monotonic()))

    def on_unmount(self) -> None:
        """Restore the terminal's title, and leave unsent decisions to the next console."""
        self.terminal.restore_title()
        if self._hangup is not None:
            self._hangup.close()
        if self.decisions is not None:
            self.decisions.close()

    def watch_queue(self, queue: tuple[Summary, ...]) -> None:
        """Announce pending submissions to the terminal."""
        self.terminal.announce(queue)

    def watch_connection_state(self, state: str) -> None:
        """Welcome a first-time user once the engine responds."""
        if state == "connected":
            from console.app import onboarding  # noqa: PLC0415  the first frame is painted before it loads

            onboarding.offer(self)
            if self.decisions is not None:
                self.decisions.connected()

    @work
    async def _start(self) -> None:
        for module in ("console.review.screen", "console.review.decision_controller"):
            await asyncio.to_thread(importlib.import_module, module)
        from console.review.decision_controller import DecisionController  # noqa: PLC0415  loaded just now

        self.decisions = DecisionController(self, self.preferences.undo_seconds)
        if self.current_mode == "_default":
            await self.switch_mode("review")
        self._problems += await self._user_keymap.load()
        for problem in self._problems:
            self.notify(problem, severity="warning", timeout=10)
        self.connection.start()
        self.run_worker(self.themes.watch_files(), group="files", exclusive=True)
        self._opened()

    # --- preferences ------------------------------------------------------------------------------

    def preferences_changed(self, before: Preferences) -> None:
        """Apply changed preferences: the keymap, and for how long a decision can be undone."""
        if self.decisions is not None:
            self.decisions.undo_seconds = self.preferences.undo_seconds
        if (before.vim, before.keymap) != (self.preferences.vim, self.preferences.keymap):
            self._user_keymap.reload()

    # --- actions ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to undo, and not to wait for that, only while a decision can be undone."""
        if action in {"undo", "send_now"}:
            return self.decisions is not None and bool(self.decisions.held)
        return True

    async def action_quit(self) -> None:
        """Quit once the last decisions are sent."""
        self._quit()

    @work(exclusive=True, group="quit")
    async def _quit(self) -> None:
        if self.decisions is None or await self.decisions.flush():
            self.exit()

    def action_undo(self) -> None:
        """Undo the last decision."""
        if self.decisions is not None:
            self.decisions.undo()

    def action_send_now(self) -> None:
        """Send the last decision without waiting until it can no longer be undone."""
        if self.decisions is not None:
            self.decisions.send_now()

    @property
    def _background_screens(self) -> list[Screen[Any]]:
        """The screens that show through: Textual draws them, and their changes, behind an opaque one too."""
        behind = super()._background_screens
        return behind if behind and self.screen.styles.background.a < 1 else []

    async def action_go(self, screen: str) -> None:
        """Go to one of the five screens."""
        if screen in SCREENS and not self.screen.is_modal:
            await self.switch_mode(screen)

    def action_help(self) -> None:
        """Open the help of this screen."""
        from console.help.help import HelpScreen  # noqa: PLC0415  on its first use

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    @work
    async def action_jump(self) -> None:
        """Jump to a part of the screen by its letter."""
        from console.help.jump import JumpScreen  # noqa: PLC0415  on its first use

        if not isinstance(self.screen, JumpScreen):
            widget = await self.push_screen_wait(JumpScreen(self.screen))
            self.screen.set_focus(widget) if widget is not None else None

    # --- command palette --------------------------------------------------------------------------

    def action_command_palette(self) -> None:
        """Open the command palette, unless the last one is being closed."""
        if not textual_patches.palette_is_closing(self):
            super().action_command_palette()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer everything that the keys offer, and the themes."""
        from console.app.commands import commands  # noqa: PLC0415  on its first use

        yield from commands(self, screen)

    @on(CommandPalette.Opened)
    def _begin_preview(self) -> None:
        self.themes.begin_preview()

    @on(CommandPalette.OptionHighlighted)
    def _preview(self, message: CommandPalette.OptionHighlighted) -> None:
        self.themes.preview(message)

    @on(CommandPalette.Closed)
    def _end_preview(self, message: CommandPalette.Closed) -> None:
        self.themes.end_preview(message)
