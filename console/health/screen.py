"""The Health screen: the isolation proof, the checks, and how to fix those that fail."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.health.unknown import silent_check, summary_words, unknown_proof
from console.safety.text import Part, clip, content, pad, paragraphs, visible_text
from console.widgets.rows import Rows
from engine.models import Check, Health

NAME_CELLS = 26
LOOK_SECONDS = 0.25
"""How often it is looked whether the engine still says how it is."""


class CheckRows(Rows):
    """One entry per check: its state, and what to type if it fails."""

    ROW_HEIGHT = 2
    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("The engine does not answer.", "bold warning")],
        [],
        [("It starts with the console. To see why it does not:", "muted")],
        [("pratique doctor", "primary")],
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Checks"
        self._checks: tuple[Check, ...] = ()
        self._age: float | None = None

    @property
    def count(self) -> int:
        """How many checks there are."""
        return len(self._checks)

    def show(self, checks: tuple[Check, ...], age: float | None = None) -> None:
        """Show the checks, failing ones first; with an age, what they said then."""
        self._age = age
        known = tuple(sorted(checks, key=lambda check: check.ok))
        self._checks = known if age is None or not checks else (silent_check(age), *known)
        self.border_subtitle = summary_words(checks, age)
        self.ROW_HEIGHT = self.row_height(narrow=False)
        self.refit()

    def row_height(self, *, narrow: bool) -> int:
        """Return one line, or two while a check fails: the second says what to type."""
        return 2 if any(check.hint for check in self._checks) else 1

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a check: sign, name and detail; then what to type."""
        check, name = self._checks[index], min(NAME_CELLS, self._names)
        room = max(8, width - name - 6)
        detail = wrap(visible_text(check.detail), room) or [""]
        if line and check.hint:
            return ["    ", ("→ ", "accent"), (clip(check.hint, width - 8), "bold accent")]
        if line:
            return [" " * (name + 4), (clip(" ".join(detail[1:]), room), "muted")]
        sign, name_style = self._sign(index, check)
        first = clip(check.detail, room) if check.hint or self.ROW_HEIGHT == 1 else detail[0]
        return [" ", sign, " ", (pad(check.name, name), name_style), " ", (first, "muted")]

    def _sign(self, index: int, check: Check) -> tuple[Part, str]:
        """Return the sign of a check, and the style of its name: grey where it is not known now."""
        if self._age is not None and index:
            return ("◌", "muted"), "muted"
        return (("●", "success") if check.ok else ("■", "bold error")), "bold"

    @property
    def _names(self) -> int:
        return max((len(check.name) for check in self._checks), default=NAME_CELLS) + 1

    @property
    def chosen(self) -> Check | None:
        """The check under the cursor."""
        return self._checks[self.cursor] if self._checks else None


class HealthScreen(BaseScreen):
    """Shows whether the engine can run code safely."""

    NAME = "health"
    HELP_TITLE = "Health"
    HELP_WORDS = (
        "Before anything runs, the engine starts a real sandbox and checks from inside that its kernel is "
        "gVisor. Without that proof nothing runs. A red square marks a failing check, with the command that "
        "fixes it below. Details shows the selected check in full; c copies its command."
    )
    DEFAULT_CSS = """
    HealthScreen { layout: horizontal; }
    HealthScreen #checks { width: 3fr; height: 1fr; }
    HealthScreen #right { width: 2fr; height: 1fr; }
    HealthScreen #proof { padding: 0 1; height: 3fr; }
    HealthScreen #one { padding: 0 1; height: 2fr; }
    HealthScreen VerticalScroll Static { height: auto; }
    HealthScreen.-medium #checks { width: 1fr; }
    HealthScreen.-medium #right { width: 42; }
    HealthScreen.-narrow { layout: vertical; }
    HealthScreen.-narrow #right { width: 100%; height: 9; layout: horizontal; }
    HealthScreen.-narrow #proof, HealthScreen.-narrow #one { width: 1fr; height: 100%; }
    HealthScreen.-narrow #checks { width: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "refresh_checks", "Refresh", id="health.refresh", tooltip="Ask the engine again"),
        Binding(
            "c", "copy", "Copy", id="health.copy", tooltip="Copy the command that fixes the selected check"
        ),
    ]

    _unknown = False
    """Whether the rows on screen are grey."""

    def contents(self) -> Iterable[Widget]:
        """Lay out the checks, the proof and the details."""
        yield CheckRows(id="checks")
        with Vertical(id="right"):
            with VerticalScroll(id="proof", classes="box") as proof:
                proof.border_title = "Isolation"
                yield Static(id="isolation")
            with VerticalScroll(id="one", classes="box") as one:
                one.border_title = "Details"
                yield Static(id="check")

    def on_mount(self) -> None:
        """Follow the engine's health."""
        super().on_mount()
        self.query_one(CheckRows).focus()
        self.watch(self.app, "health", self._changed)
        self.set_interval(LOOK_SECONDS, self._look)

    def _changed(self, health: Health | None) -> None:
        connection = console_app(self).connection
        age = None if health is None or connection.knows_health else connection.health_age
        self.query_one(CheckRows).show(health.checks if health else (), age)
        proof = _proof(health) if age is None else unknown_proof(age)
        self.query_one("#isolation", Static).update(paragraphs(*proof))
        self._show_details()

    def _look(self) -> None:
        """Turn grey what is not known any more, and back what is known again."""
        unknown = not console_app(self).connection.knows_health
        if console_app(self).health is not None and (unknown or self._unknown):
            self._unknown = unknown
            self._changed(console_app(self).health)

    @on(CheckRows.Moved)
    def _show_details(self) -> None:
        chosen = self.query_one(CheckRows).chosen
        self.query_one("#check", Static).update(paragraphs(*_check_lines(chosen)) if chosen else content())
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to copy only if there is a command."""
        if action == "copy":
            chosen = self.query_one(CheckRows).chosen if self.is_mounted else None
            return chosen is not None and bool(chosen.hint)
        return True

    def action_copy(self) -> None:
        """Copy the command, without the words around it."""
        chosen = self.query_one(CheckRows).chosen
        if chosen is not None and chosen.hint:
            self.app.copy_to_clipboard(visible_text(chosen.hint.removeprefix("Type: ").partition("   (")[0]))
            self.notify("Copied to the clipboard.")

    async def action_refresh_checks(self) -> None:
        """Ask the engine again."""
        app = console_app(self)
        health = await app.connection.call(lambda client: client.health())
        if health is not None:
            app.connection.note_health(health)


def _proof(health: Health | None) -> list[list[Part]]:
    if health is None:
        return [[("No proof yet.", "muted")]]
    if health.proof is None:
        return [[("◌ No sandbox was started.", "bold warning")], [],
                [("You can review and decide. Nothing runs.", "muted")]]  # fmt: skip
    proof = health.proof
    lines: list[list[Part]] = [
        [("● gVisor, proven from inside a sandbox", "bold success")]
        if proof.isolated
        else [("■ NOT ISOLATED: nothing runs", "bold reverse error")],
        [],
        [("runtime  ", "muted"), proof.runtime, "  ", (proof.version, "muted")],
        [("kernel   ", "muted"), proof.kernel],
        [],
        [("Sandbox output", "bold muted")],
    ]
    return lines + [[("  ", "faint"), line] for line in proof.detail.text.split("\n")]


def _check_lines(check: Check) -> list[list[Part]]:
    sign: Part = ("● OK", "success") if check.ok else ("■ failing", "bold error")
    lines: list[list[Part]] = [[(check.name, "bold"), "  ", sign], [], [check.detail]]
    return (
        [*lines, [], [("To fix it, type", "muted")], [(check.hint, "bold accent")]] if check.hint else lines
    )
