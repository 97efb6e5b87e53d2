"""Health: whether gVisor was proven, how the house stands, and what to type where it does not."""

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
from console.safety.text import Part, clip, content, pad, paragraphs, visible_text
from console.widgets.rows import Rows
from engine.models import Check, Health

NAME_CELLS = 26


class CheckRows(Rows):
    """One entry for each check: how it stands, and what to type to mend it."""

    ROW_HEIGHT = 2
    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("The engine does not answer yet.", "bold warning")],
        [],
        [("It is started with the console. Its own words:", "muted")],
        [("pratique doctor", "primary")],
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Checks"
        self._checks: tuple[Check, ...] = ()

    @property
    def count(self) -> int:
        """How many checks there are."""
        return len(self._checks)

    def show(self, checks: tuple[Check, ...]) -> None:
        """Take the checks in, those that failed first."""
        self._checks = tuple(sorted(checks, key=lambda check: check.ok))
        bad = sum(not check.ok for check in checks)
        self.border_subtitle = f"{bad} to mend" if bad else "all well" if checks else ""
        self.ROW_HEIGHT = self.row_height(narrow=False)
        self.refit()

    def row_height(self, *, narrow: bool) -> int:
        """Return one line, or two while something is to mend: the second says what to type."""
        return 2 if any(check.hint for check in self._checks) else 1

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a check: sign, name and detail; then what to type."""
        check, name = self._checks[index], min(NAME_CELLS, self._names)
        room = max(8, width - name - 6)
        told = wrap(visible_text(check.detail), room) or [""]
        if line and check.hint:
            return ["    ", ("→ ", "accent"), (clip(check.hint, width - 8), "bold accent")]
        if line:
            return [" " * (name + 4), (clip(" ".join(told[1:]), room), "muted")]
        sign: Part = ("●", "success") if check.ok else ("■", "bold error")
        first = clip(check.detail, room) if check.hint or self.ROW_HEIGHT == 1 else told[0]
        return [" ", sign, " ", (pad(check.name, name), "bold"), " ", (first, "muted")]

    @property
    def _names(self) -> int:
        return max((len(check.name) for check in self._checks), default=NAME_CELLS) + 1

    @property
    def chosen(self) -> Check | None:
        """The check under the cursor."""
        return self._checks[self.cursor] if self._checks else None


class HealthScreen(BaseScreen):
    """The place of who keeps the house."""

    NAME = "health"
    HELP_TITLE = "Health"
    HELP_WORDS = (
        "Before anything runs, the engine starts a real sandbox and looks from inside whether its kernel is "
        "gVisor's. Without that proof nothing runs. A red square stands before what is not well, and below "
        "it what to type. The row under the cursor is told in full on the right; c copies what to type."
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
        Binding("r", "look", "Look again", id="health.look", tooltip="Ask the engine how it stands"),
        Binding("c", "copy", "Copy", id="health.copy", tooltip="Copy what to type to mend the row"),
    ]

    def contents(self) -> Iterable[Widget]:
        """Lay out the proof and the checks."""
        yield CheckRows(id="checks")
        with Vertical(id="right"):
            with VerticalScroll(id="proof", classes="box") as proof:
                proof.border_title = "Isolation"
                yield Static(id="told")
            with VerticalScroll(id="one", classes="box") as one:
                one.border_title = "This row"
                yield Static(id="row")

    def on_mount(self) -> None:
        """Follow how the house stands."""
        super().on_mount()
        self.watch(self.app, "health", self._changed)

    def _changed(self, health: Health | None) -> None:
        self.query_one(CheckRows).show(health.checks if health else ())
        self.query_one("#told", Static).update(paragraphs(*_proof(health)))
        self._tell()

    @on(CheckRows.Moved)
    def _tell(self) -> None:
        chosen = self.query_one(CheckRows).chosen
        self.query_one("#row", Static).update(paragraphs(*_told(chosen)) if chosen else content())
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to copy what there is to type."""
        if action == "copy":
            chosen = self.query_one(CheckRows).chosen if self.is_mounted else None
            return chosen is not None and bool(chosen.hint)
        return True

    def action_copy(self) -> None:
        """Copy what to type, without the words around it."""
        chosen = self.query_one(CheckRows).chosen
        if chosen is not None and chosen.hint:
            self.app.copy_to_clipboard(visible_text(chosen.hint.removeprefix("Type: ").partition("   (")[0]))
            self.notify("Copied; paste it into a terminal.")

    async def action_look(self) -> None:
        """Ask now."""
        app = console_app(self)
        health = await app.connection.call(lambda client: client.health())
        if health is not None:
            app.health = health


def _proof(health: Health | None) -> list[list[Part]]:
    if health is None:
        return [[("Nothing is known yet.", "muted")]]
    if health.proof is None:
        return [[("◌ No sandbox was tried.", "bold warning")], [],
                [("Reading, judging and deciding work. Nothing runs.", "muted")]]  # fmt: skip
    proof = health.proof
    lines: list[list[Part]] = [
        [("● gVisor, proven from inside a sandbox", "bold success")]
        if proof.isolated
        else [("■ NOT ISOLATED: nothing runs", "bold reverse error")],
        [],
        [("runtime  ", "muted"), proof.runtime, "  ", (proof.version, "muted")],
        [("kernel   ", "muted"), proof.kernel],
        [],
        [("What the guest saw", "bold muted")],
    ]
    return lines + [[("  ", "faint"), line] for line in proof.detail.text.split("\n")]


def _told(check: Check) -> list[list[Part]]:
    sign: Part = ("● well", "success") if check.ok else ("■ not well", "bold error")
    lines: list[list[Part]] = [[(check.name, "bold"), "  ", sign], [], [check.detail]]
    return (
        [*lines, [], [("To mend it, type", "muted")], [(check.hint, "bold accent")]] if check.hint else lines
    )
