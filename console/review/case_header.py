"""The lines above the code: risk, requester, purpose, and when the submission expires."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from console.app.textual_patches import update_height
from console.review.queue.times import time_bar, time_left
from console.review.requests import reviews
from console.safety.text import Part, clip, content, visible_text
from console.widgets.formatting import clock, full_badge, now, size
from console.widgets.rows import NARROW
from engine.common.text import Untrusted, many
from engine.models import Case, Draft, Status, Summary

STATE_CELLS = 26
"""The width kept for the state of the decision, so that the lines do not move when it changes."""


class CaseHeader(Static):
    """Two lines about the selected submission."""

    DEFAULT_CSS = """
    CaseHeader { height: auto; padding: 0 1; background: $surface; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._case: Case | None = None
        self._summary: Summary | None = None
        self._state: tuple[Part, ...] = ()
        self._others_present: tuple[Untrusted, ...] = ()
        self._content = content()
        self.purpose_visible = False
        """Whether all of the purpose is displayed."""

    def on_resize(self) -> None:
        """Fit to the new width."""
        self.freshen()

    def show(self, case: Case | None, summary: Summary | None) -> None:
        """Show another submission."""
        if self._case is None or case is None or self._case.submission.id != case.submission.id:
            self._others_present = ()
        self._case, self._summary = case, summary
        self.freshen()

    def show_present(self, names: tuple[Untrusted, ...]) -> None:
        """Show which other reviewers have the submission on screen."""
        if names != self._others_present:
            self._others_present = names
            self.freshen()

    def show_state(self, *state: Part) -> None:
        """Show what prevents an approval, or the keys that decide."""
        if state != self._state:
            self._state = state
            self.freshen()

    def freshen(self) -> None:
        """Update the time that is left."""
        lines: list[Content] = []
        if self._case is not None:
            lines = [self._first(self._case), *self._below(self._case), *self._others(self._case)]
        words = Content("\n").join(lines)
        if not words.is_same(self._content) or len(lines) != self.content_size.height:
            update_height(self, words)
            self._content = words

    def _others(self, case: Case) -> list[Content]:
        """Return what other reviewers did: on a narrow screen in one line, so that code keeps its rows."""
        lines = reviews(case)
        if self._others_present:
            names = Untrusted(", ".join(each.text for each in self._others_present))
            lines.append([("Also on screen of ", "bold warning"), names])
        if self.app.size.width < NARROW and lines:
            lines = [[part for line in reversed(lines) for part in (*line, "  ")]]
        return [content(*line).truncate(self.content_size.width, ellipsis=True) for line in lines]

    def _first(self, case: Case) -> Content:
        draft = case.submission.draft
        left = content(
            full_badge(case.assessment.risk), "  ", (case.submission.id, "bold"), "  ",
            (_what(draft), "muted"),
        )  # fmt: skip
        whole, room = content(*self._time(case, 12, "expires in ")), self.content_size.width
        if left.cell_length + whole.cell_length < room:
            return self._spread(left, whole)
        return self._spread(left, content(*self._time(case, 6, "")))

    def _time(self, case: Case, cells: int, words: str) -> list[Part]:
        if case.status is not Status.PENDING or self._summary is None:
            return [(case.status.value, "bold")]
        if (stopped := clock_stopped(case)) is not None:
            return [(f"{'clock stopped at ' if words else '‖ '}{clock(stopped)}", "bold warning")]
        bar = time_bar(self._summary, cells)
        return [*bar, (f" {words}{time_left(self._summary)}" if bar else "no deadline", "bold")]

    def _below(self, case: Case) -> list[Content]:
        """Return requester and purpose: in one line where that fits, else in two."""
        draft, width = case.submission.draft, self.content_size.width
        files = len(draft.files)
        who = clip(case.submission.requester.name, max(8, width - STATE_CELLS) // 2)
        parts: list[Part] = [("requested by ", "muted"), who]
        if files:
            parts.append((f"  with {many(files, 'input file')}", "muted"))
        state, said = content(*self._state), clip(draft.purpose, max(1, width - 2))
        self.purpose_visible = said == visible_text(draft.purpose)
        words = content(("❝", "accent"), (said, "italic"), ("❞", "accent"))
        if not draft.purpose:
            return [self._spread(content(*parts), state)]
        if content(*parts).cell_length + words.cell_length + 2 <= width - STATE_CELLS:
            return [self._spread(Content.assemble(content(*parts), "  ", words), state)]
        return [self._spread(content(*parts), state), words]

    def _spread(self, left: Content, right: Content) -> Content:
        room = self.content_size.width - left.cell_length - right.cell_length
        return Content.assemble(left, " " * max(1, room), right)


def clock_stopped(case: Case) -> float | None:
    """Return the seconds at which a claim holds the clock of a case; None where it runs."""
    claim = case.claim
    return claim.clock if claim is not None and claim.until > now() else None


def _what(draft: Draft) -> str:
    if draft.operation is not None:
        return f"tool call: {draft.operation.kind.value} in session {visible_text(draft.session)}"
    return f"{draft.language.value}, {_lines(draft.code.text)}, {size(len(draft.code.text.encode()))}"


def _lines(code: str) -> str:
    return many(code.removesuffix("\n").count("\n") + 1, "line")
