"""Requesting changes: comments on lines and a general one, sent to the agent instead of a yes or no."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, Static

from console.code_view.view import CodeView
from console.review.changes.comment_text import parse_comment, place
from console.review.decisions import Batch, PendingDecision
from console.review.unsent import drafts
from console.safety.text import Part, content, paragraphs
from console.widgets.footer import KeyFooter
from engine.common.presentation import text_to_review
from engine.common.review_coverage import line_count
from engine.models import Case, DecisionOutcome, LineComment
from engine.models.comments import MOST_COMMENTS, MOST_TEXT

HELP = "12: text   12-14: text => what to write instead   or a general comment"

SAVE_SECONDS = 0.2
"""What is typed is on disk this long after it at most."""
_LINE = re.compile(r"\s*(\d{1,7})\s*[-:]")


@dataclass
class DraftComments:
    """What a reviewer has written so far about one submission; `id` names the file in which it is saved."""

    on_lines: list[LineComment] = field(default_factory=list)
    general: str = ""
    typed: str = ""
    id: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing was written."""
        return not self.on_lines and not self.general

    @classmethod
    def saved(cls, id: str) -> DraftComments:
        """Return what was written about a submission before, also by a console that was killed."""
        texts = drafts.load(id)
        return cls(list(texts.comments), texts.general, texts.typed, id)

    def save(self) -> None:
        """Save what was written."""
        if self.id:
            kept = {"comments": tuple(self.on_lines), "general": self.general, "typed": self.typed}
            drafts.save(self.id, drafts.load(self.id).model_copy(update=kept))


class ChangesScreen(ModalScreen[Batch | None]):
    """Collects comments below the code and returns them as a decision, or None.

    What was written stays in `draft`. `code` is the view above, which a typed line number scrolls.
    """

    AUTO_FOCUS = "#comment"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "nothing", "Add", id="changes.add", tooltip="Add the comment"),
        Binding("ctrl+s", "send", "Send", id="changes.send", priority=True,
                tooltip="Send the comments to the agent"),
        Binding("ctrl+x", "drop", "Remove last", id="changes.drop", priority=True,
                tooltip="Remove the last comment"),
        Binding("up", "scroll_code('scroll', -1)", "Up", id="changes.up", show=False,
                tooltip="Scroll the code one line up"),
        Binding("down", "scroll_code('scroll', 1)", "Down", id="changes.down", show=False,
                tooltip="Scroll the code one line down"),
        Binding("pageup", "scroll_code('page', -1)", "Page up", id="changes.page-up", show=False,
                tooltip="Scroll the code one page up"),
        Binding("pagedown", "scroll_code('page', 1)", "Page down", id="changes.page-down",
                tooltip="Scroll the code one page down"),
        Binding("escape", "cancel", "Back", id="changes.cancel", tooltip="Back; the comments are kept"),
    ]  # fmt: skip

    def __init__(self, case: Case, draft: DraftComments, line: int | None, code: CodeView) -> None:
        super().__init__()
        self._case = case
        self._code = code
        self._saving: Timer | None = None
        self._draft = draft
        self._line = line

    def compose(self) -> ComposeResult:
        """Lay out the comments so far, and an input for the next one."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = f"Request changes to {self._case.submission.id}"
            with VerticalScroll(id="said", can_focus=False):
                yield Static(id="comments")
            yield Input(
                self._draft.typed or self._prefix(),
                id="comment",
                max_length=MOST_TEXT,
                placeholder="Next comment; Enter alone sends all",
                select_on_focus=False,
            )
            yield Static(content((HELP, "faint")))
            yield Static(id="wrong")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show what was written before."""
        self._list()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Add what was typed; with nothing typed, send."""
        if not message.value.strip() or message.value == self._prefix():
            self.action_send()
        elif self._add(message.value):
            message.input.value = ""

    def on_input_changed(self, message: Input.Changed) -> None:
        """Show the line that a comment is about, and save what is typed."""
        if found := _LINE.match(message.value):
            self._code.go_to(int(found[1]))
        self._draft.typed = "" if message.value == self._prefix() else message.value
        self._saving = self._saving or self.set_timer(SAVE_SECONDS, self._save)

    def _save(self) -> None:
        self._saving = None
        self._draft.save()

    def on_unmount(self) -> None:
        """Save what was written, also when the console is closed."""
        self._draft.save()

    def action_scroll_code(self, by: str, step: int) -> None:
        """Scroll the code above by lines or pages."""
        self._code.action_page(step) if by == "page" else self._code.action_scroll(step)

    def _add(self, typed: str) -> bool:
        try:
            comment = parse_comment(typed, line_count(text_to_review(self._case.submission.draft).text))
            if isinstance(comment, str):
                self._draft.general = f"{self._draft.general}\n{comment}".strip()[:MOST_TEXT]
            elif len(self._draft.on_lines) < MOST_COMMENTS:
                self._draft.on_lines.append(comment)
        except ValueError as wrong:
            self._say(str(wrong))
            return False
        self._say("")
        self._list()
        self._save()
        return True

    def _prefix(self) -> str:
        return f"{self._line}: " if self._line is not None and self._draft.empty else ""

    def _say(self, words: str) -> None:
        self.query_one("#wrong", Static).update(content((words, "warning")))

    def _list(self) -> None:
        draft = self._draft
        lines: list[list[Part]] = [_comment_parts(each) for each in draft.on_lines]
        lines += [[("general  ", "muted"), draft.general]] if draft.general else []
        lines += [[("No comments yet.", "faint")]] if draft.empty else []
        self.query_one("#comments", Static).update(paragraphs(*lines))
        self.query_one("#said").scroll_end(animate=False)

    def action_drop(self) -> None:
        """Remove the general comment, else the last one on lines."""
        if self._draft.general:
            self._draft.general = ""
        elif self._draft.on_lines:
            self._draft.on_lines.pop()
        self._list()
        self._save()

    def action_send(self) -> None:
        """Send everything, also what is still in the input."""
        field = self.query_one("#comment", Input)
        typed = field.value.strip()
        if typed and field.value != self._prefix() and not self._add(typed):
            return
        if self._draft.empty:
            self._say("Write what should change: a comment on a line, or a general one.")
            return
        outcome = DecisionOutcome.CHANGES_REQUESTED
        comments = tuple(self._draft.on_lines)
        self._save()
        self._draft.id = ""  # whoever sends the decision forgets the draft
        self.dismiss((PendingDecision(self._case, outcome, self._draft.general, comments=comments),))

    def action_nothing(self) -> None:
        """Do nothing: the input submits itself; the binding shows the key in the footer."""

    def action_cancel(self) -> None:
        """Close; the comments are kept for the next time."""
        self.dismiss(None)


def _comment_parts(comment: LineComment) -> list[Part]:
    suggestion: list[Part] = [(" => ", "muted"), comment.suggestion] if comment.suggestion else []
    return [(f"line {place(comment)}  ", "muted"), comment.text, *suggestion]
