"""The console: five places at one desk, over one line to the engine."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar

from textual import events, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.filter import LineFilter
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Static

from console import caches, preferences
from console.announcing import Announcing
from console.backstop import Backstop
from console.dressing import Dressed
from console.guard import KeyGuard

if TYPE_CHECKING:
    from textual.command import Provider

    from console.decisions import Decided, Decisions
    from console.link import Connect
    from engine.doors.client import Client
    from engine.models import Case, Event, Health, Summary
    from engine.problem import Problem

_T = TypeVar("_T")
_PLACES = Binding.Group("Places", compact=True)
PLACES = {
    "review": "console.screens.review:ReviewScreen",
    "run": "console.screens.run:RunScreen",
    "explore": "console.screens.explore:ExploreScreen",
    "history": "console.screens.history:HistoryScreen",
    "health": "console.screens.health:HealthScreen",
}


def _place(name: str) -> Callable[[], Screen[None]]:
    def factory() -> Screen[None]:
        module, _, kind = PLACES[name].partition(":")
        screen: Screen[None] = getattr(importlib.import_module(module), kind)()
        return screen

    return factory


def _palette() -> type[Provider]:
    from console.commands import Commands  # noqa: PLC0415  on its first use

    return Commands


class Opening(Screen[None]):
    """What is on screen before anything else is loaded."""

    DEFAULT_CSS = """
    Opening #bar { dock: top; height: 1; padding: 0 1; background: $panel; color: $accent; text-style: bold; }
    Opening #word { width: 1fr; height: 1fr; content-align: center middle; color: $muted; }
    """

    def compose(self) -> Iterable[Static]:
        """Lay out the line on top and a word."""
        yield Static(Content("Pratique"), id="bar")
        yield Static(Content("Opening the desk …"), id="word")


class ConsoleApp(Announcing, Dressed):
    """The Textual app. It knows the engine through a client and keeps nothing that is not the engine's."""

    TITLE = "Pratique"
    CSS_PATH = "app.tcss"
    MODES = {name: _place(name) for name in PLACES}  # noqa: RUF012  Textual declares it so
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
            Binding(str(number), f"go('{name}')", name.title(), id=f"go.{name}", show=False, group=_PLACES,
                    tooltip=f"Go to {name.title()}")
            for number, name in enumerate(PLACES, start=1)
        ),
        Binding("question_mark,f1", "help", "Help", id="app.help", show=False,
                tooltip="What can be done here"),
        Binding("ctrl+g", "jump", "Jump", id="app.jump", show=False,
                tooltip="A letter goes to each part of the screen"),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", priority=True, show=False,
                tooltip="Leave the console; runs go on"),
        Binding("u", "undo", "Undo", id="decision.undo", tooltip="Take the last decision back"),
    ]  # fmt: skip

    queue: reactive[tuple[Summary, ...]] = reactive[tuple["Summary", ...]](())
    health: reactive[Health | None] = reactive["Health | None"](None)
    link: reactive[str] = reactive("starting")
    """How it stands with the engine: `starting`, `connected` or `lost`."""

    def __init__(
        self,
        connect: Connect | None = None,
        prefer: preferences.Preferences | None = None,
        opened: Callable[[], None] = lambda: None,
    ) -> None:
        self._opened = opened
        self._backstop = Backstop()
        caches.mend()
        self.keys = KeyGuard()
        super().__init__()
        read, self._wrong = preferences.load() if prefer is None else (prefer, "")
        self.prefer = read
        self._connect = connect
        self._client: Client | None = None
        self._listeners: list[Callable[[Event], None]] = []
        self.decisions: Decisions | None = None
        self.approved: Case | None = None
        self.keeps = prefer is None
        self._problems = [*self.dress(), *([self._wrong] if self._wrong else [])]

    # --- safety -----------------------------------------------------------------------------------

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Put the backstop after every other filter of every line."""
        return [*super().get_line_filters(), self._backstop]

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a notice; its text is made visible and never read as markup."""
        from console.text import shown  # noqa: PLC0415  the first frame comes before the nouns

        super().notify(shown(message, keep="\n"), title=shown(title), severity=severity, timeout=timeout,
                       markup=False)  # fmt: skip

    async def on_event(self, event: events.Event) -> None:
        """Note when keys come, before anything acts on them."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.keys.note(event.time)
        elif isinstance(event, events.MouseDown) and not event.is_forwarded:
            self.keys.note_mouse(event.time)
        await super().on_event(event)

    def _handle_exception(self, error: Exception) -> None:
        from console.crash import too_late  # noqa: PLC0415

        if not too_late(error):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # Textual's own prints local variables, and with them a guest's code and secrets, raw.
        from console.crash import report  # noqa: PLC0415

        self._exit_renderables.append(report())
        self._close_messages_no_wait()

    # --- opening ----------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[None]:
        """Return the screen that is painted first."""
        return Opening(id="opening")

    def on_mount(self) -> None:
        """Paint first, load afterwards."""
        self.set_keymap(self.prefer.keymap)
        self.call_after_refresh(self._open)
        tidying = caches.Tidying(self.keys, time.monotonic())
        self.set_interval(caches.LOOK_SECONDS, lambda: tidying.look(time.monotonic()))

    def on_unmount(self) -> None:
        """Leave the terminal as it was."""
        self.unname_terminal()

    def watch_queue(self, queue: tuple[Summary, ...]) -> None:
        """Say outside of the frame how many wait."""
        self.announce(queue)

    @work
    async def _open(self) -> None:
        for module in ("console.screens.review", "console.link", "console.decisions"):
            await asyncio.to_thread(importlib.import_module, module)
        from console.decisions import Decisions  # noqa: PLC0415

        self.decisions = Decisions(self._send, self.prefer.undo_seconds)
        if self.current_mode == "_default":
            await self.switch_mode("review")
        self._problems += await self._take_keys()
        for problem in self._problems:
            self.notify(problem, severity="warning", timeout=10)
        self._keep()
        self._follow_files()
        self._opened()

    async def _take_keys(self) -> list[str]:
        """Take the person's own keys in; return what is wrong with them."""
        if not (self.prefer.vim or self.prefer.keymap):
            return []
        keymap = await asyncio.to_thread(importlib.import_module, "console.keymap")
        good, faults = await asyncio.to_thread(keymap.checked, self.prefer.keymap, self.prefer.keymap_lines)
        self.set_keymap((keymap.VIM if self.prefer.vim else {}) | good)
        return list(faults)

    @work(exclusive=True, group="files")
    async def _follow_files(self) -> None:
        await self.follow_files()

    @work(exclusive=True, group="link")
    async def _keep(self) -> None:
        from console import link  # noqa: PLC0415

        connect = self._connect
        if connect is None:
            from engine.doors.attach import attach  # noqa: PLC0415

            connect = attach
        await link.keep(self, connect)

    # --- the engine -------------------------------------------------------------------------------

    @property
    def client(self) -> Client:
        """The client that is attached. Raises Problem where none is."""
        if self._client is None:
            from engine.problem import Problem  # noqa: PLC0415

            raise Problem(503, "the engine does not answer", mend="The console attaches again by itself")
        return self._client

    def attached(self, client: Client) -> None:
        """Take in a client that answers."""
        from console import touring  # noqa: PLC0415  the first frame comes before the nouns

        if self.link == "lost":
            self.notify("The engine answers again.")
        self._client = client
        self.link = "connected"
        touring.offer(self)

    def lost(self, problem: Problem) -> None:
        """Take in that the engine does not answer."""
        if self.link != "lost":
            self.notify(str(problem), title="The engine does not answer", severity="error")
        self._client = None
        self.link = "lost"

    def happened(self, event: Event) -> None:
        """Tell whoever listens what the engine recorded."""
        for listener in tuple(self._listeners):
            listener(event)

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every event; return how to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def ask(self, call: Callable[[Client], Awaitable[_T]]) -> _T | None:
        """Return what the engine answers to `call`; where that is no, say so and return None.

        A console that closes meanwhile has nowhere to show an answer: None too.
        """
        from engine.problem import Problem  # noqa: PLC0415

        try:
            answer = await call(self.client)
        except Problem as problem:
            self.notify(str(problem), severity="error")
            return None
        return answer if self.is_running else None

    # --- decisions --------------------------------------------------------------------------------

    @work(group="decision")
    async def decide(self, decided: Decided, remaining: float | None) -> None:
        """Send a decision, unless it is undone before."""
        if self.decisions is not None:
            await self.decisions.take(decided, remaining)

    async def _send(self, decided: Decided) -> None:
        from console.decisions import approves, told  # noqa: PLC0415  the first frame comes before the nouns

        submission = decided.case.submission
        case = await self.ask(
            lambda client: client.decide(
                submission.id,
                decided.verdict,
                submission.digest,
                decided.reason,
                decided.grant,
                decided.seen,
            )
        )
        if case is not None:
            self.notify(told(case, decided.verdict))
            self.approved = case if approves(case) else self.approved

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to undo only what can be undone."""
        if action == "undo":
            return self.decisions is not None and self.decisions.held is not None
        return True

    def action_undo(self) -> None:
        """Take the last decision back."""
        undone = self.decisions.undo() if self.decisions else None
        if undone is not None:
            self.notify(f"Not sent: {undone.case.submission.id} still waits.")

    # --- moving about -----------------------------------------------------------------------------

    async def action_go(self, place: str) -> None:
        """Go to one of the five places."""
        if place in PLACES and not self.screen.is_modal:
            await self.switch_mode(place)

    def action_help(self) -> None:
        """Say what can be done here."""
        from console.screens.help import HelpScreen  # noqa: PLC0415

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    @work
    async def action_jump(self) -> None:
        """Go to a part of the screen by its letter."""
        from console.screens.jump import JumpScreen  # noqa: PLC0415  on its first use

        if not isinstance(self.screen, JumpScreen):
            widget = await self.push_screen_wait(JumpScreen(self.screen))
            self.screen.set_focus(widget) if widget is not None else None

    def action_command_palette(self) -> None:
        """Open the command palette, but not while the last one is on its way out."""
        from console.commands import leaving  # noqa: PLC0415  on its first use

        if not leaving(self):
            super().action_command_palette()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer everything that the keys offer, and the themes."""
        from console.commands import commands  # noqa: PLC0415

        yield from commands(self, screen)
