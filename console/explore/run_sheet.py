"""Confirming a run of one's own code that is grave or asks for permissions, without leaving Explore."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.explore.own_run import grave_violations
from console.review.display_delay import DisplayDelay
from console.review.requests import asked
from console.safety.text import Part, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.violation_badges import author_badge, is_syntax_error
from engine.common.text import many
from engine.models import Case

MAX_VIOLATIONS = 40
"""More grave violations are counted; Explore lists all of them beside the code."""


class RunSheet(ModalScreen[bool]):
    """Returns whether the author runs the code all the same."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    RunSheet .sheet Static { height: auto; }
    RunSheet VerticalScroll { height: auto; max-height: 16; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+y", "confirm", "Run it", id="explore.run-grave", priority=True, tooltip="Run the code"),
        Binding("escape", "cancel", "Back to the code", id="explore.run-back", tooltip="Do not run it"),
    ]

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._case = case
        self._delay = DisplayDelay()

    def compose(self) -> ComposeResult:
        """Lay out what is grave, and what the code asks for."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = _title(self._case)
            with VerticalScroll():
                yield Static(paragraphs(*_lines(self._case)))
        yield KeyFooter()

    def on_mount(self) -> None:
        """Start the delay before the confirmation is accepted."""
        self._delay.restart()

    @property
    def displayed_long_enough(self) -> bool:
        """Whether the sheet accepts the confirmation."""
        return self._delay.over

    @work(exclusive=True)
    async def action_confirm(self) -> None:
        """Run it, if a person pressed the key and the sheet was displayed long enough."""
        if await console_app(self).key_guard.pressed_by_person() and self.displayed_long_enough:
            self.dismiss(True)

    def action_cancel(self) -> None:
        """Go back to the code."""
        self.dismiss(False)


def _title(case: Case) -> str:
    grave = [case.analysis.violations[number] for number in grave_violations(case)]
    slips = grave and all(map(is_syntax_error, grave))
    return "This code has a syntax error. Run it all the same?" if slips else "Run this code?"


def _lines(case: Case) -> list[list[Part]]:
    grave = grave_violations(case)
    lines = [_violation(case, number) for number in grave[:MAX_VIOLATIONS]]
    if len(grave) > MAX_VIOLATIONS:
        lines.append([(f"and {many(len(grave) - MAX_VIOLATIONS, 'more violation')}", "faint")])
    if not case.analysis.complete:
        lines.append([("Not all of the code could be analysed.", "warning")])
    permissions = case.submission.draft.permissions
    return [*lines, [("Requested permissions", "bold muted")], *asked(permissions, case.analysis.effects)]


def _violation(case: Case, number: int) -> list[Part]:
    violation = case.analysis.violations[number]
    where = (f"  line {violation.span.line}: ", "muted")
    return [author_badge(violation), where, violation.message]
