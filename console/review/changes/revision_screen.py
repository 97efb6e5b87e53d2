"""What a revision changes: the comments and what became of them, then the difference of every file."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.review.changes.revision import comment_lines, diff_lines, file_title, summary_parts
from console.review.compare import DifferenceRows
from console.safety.text import content, paragraphs
from console.widgets.footer import KeyFooter
from engine.models import Case, FileChange, Revision


class RevisionScreen(ModalScreen[None]):
    """Shows what a submission changes in the one that it revises."""

    AUTO_FOCUS = "#difference"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "file(1)", "Next file", id="revision.next-file", tooltip="The next changed file"),
        Binding("escape,c,q", "leave", "Close", id="revision.close", tooltip="Back to the submission"),
    ]

    def __init__(self, case: Case, revision: Revision) -> None:
        super().__init__()
        self._case = case
        self._revision = revision
        self._changed = [each for each in revision.files if each.change is not FileChange.UNCHANGED]
        self._at = 0

    def compose(self) -> ComposeResult:
        """Lay out the summary, the comments and the difference of one file."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = f"Changes since {self._revision.revises}"
            sheet.border_subtitle = "+ added   - removed   Esc: close"
            yield Static(content(*summary_parts(self._revision)[:-3]), id="about")
            with VerticalScroll(id="said", can_focus=False):
                yield Static(paragraphs(*comment_lines(self._revision, self._case)), id="answers")
            yield Static(id="file")
            yield DifferenceRows()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show the first changed file."""
        self._show()

    def _show(self) -> None:
        if not self._changed:
            self.query_one("#file", Static).update(content(("No file changed.", "bold warning")))
            return
        each = self._changed[self._at]
        place = f"  {self._at + 1} of {len(self._changed)}" if len(self._changed) > 1 else ""
        self.query_one("#file", Static).update(content(*file_title(each, self._case), (place, "faint")))
        self.query_one(DifferenceRows).show(diff_lines(each.diff))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer another file where several changed."""
        return action != "file" or len(self._changed) > 1

    def action_file(self, step: int) -> None:
        """Show another changed file."""
        self._at = (self._at + step) % len(self._changed)
        self._show()

    def action_leave(self) -> None:
        """Close."""
        self.dismiss()
