"""The queue: pending submissions, with risk and the time until each expires."""

from __future__ import annotations

from typing import ClassVar

from console.app.textual_patches import set_border_title
from console.safety.text import Part, clip, content, pad
from console.widgets.formatting import badge, bar, brief, clock, now
from console.widgets.offline_rows import OfflineRows
from engine.models import Status, Summary

TIME_CELLS = 5
FULL_SECONDS = 120.0
"""The full length of the bar where the length of a deadline is not known."""


class QueueList(OfflineRows):
    """Pending submissions. The cursor stays on its submission as the queue changes."""

    ROW_HEIGHT = 2
    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("Queue is empty", "bold success")],
        [],
        [("To submit code, type:", "muted")],
        [("pratique submit FILE", "primary")],
        [("pratique demo", "primary")],
        [],
        [("Or press 3 to write", "muted")],
        [("code in Explore.", "muted")],
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Pending"
        self._summaries: tuple[Summary, ...] = ()

    @property
    def count(self) -> int:
        """How many submissions are pending."""
        return len(self._summaries)

    @property
    def chosen(self) -> Summary | None:
        """The submission under the cursor."""
        return self._summaries[self.cursor] if self._summaries else None

    def show(self, queue: tuple[Summary, ...]) -> None:
        """Show the queue; the cursor stays on its submission while that is pending."""
        kept = self.chosen
        self._summaries = tuple(each for each in queue if each.status is Status.PENDING)
        set_border_title(self, content(f"Pending {self.count}" if self.count else "Pending"))
        places = [index for index, each in enumerate(self._summaries) if kept and each.id == kept.id]
        if places:
            self.set_reactive(QueueList.cursor, places[0])
        self.refit()

    def go_to(self, id: str) -> None:
        """Move the cursor to a submission."""
        self.cursor = next((at for at, each in enumerate(self._summaries) if each.id == id), self.cursor)

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw an entry: risk, requester and time; then language, size and the first line."""
        summary = self._summaries[index]
        if self.ROW_HEIGHT == 1:
            return self._all(summary, width)
        return self._top(summary, width) if line == 0 else self._below(summary, width)

    def row_height(self, *, narrow: bool) -> int:
        """Return one line where the screen is narrow, else two."""
        return 1 if narrow else 2

    def _all(self, summary: Summary, width: int) -> list[Part]:
        rest = clip(f"{summary.language.value} {summary.lines}  ", width) + clip(summary.first_line, width)
        return [*self._top(summary, 38), "  ", (clip(rest, max(4, width - 40)), "faint")]

    def _top(self, summary: Summary, width: int) -> list[Part]:
        """Draw risk and requester at the left, the time that is left at the right."""
        text, style = badge(summary.risk)
        cells = max(4, min(10, width - 28))
        who = pad(summary.requester, max(4, width - cells - TIME_CELLS - 8))
        left = seconds_left(summary)
        return [" ", (text, style), " ", (who, "foreground"), " ", *time_bar(summary, cells),
                f" {'' if left is None else brief(left):>{TIME_CELLS}}"]  # fmt: skip

    def _below(self, summary: Summary, width: int) -> list[Part]:
        facts = f"{summary.language.value} {summary.lines}"
        shown = clip(summary.first_line, max(4, width - len(facts) - 7))
        return ["     ", (pad(facts, len(facts)), "muted"), "  ", (shown, "faint")]


def seconds_left(summary: Summary) -> float | None:
    """Return the seconds until the submission expires; None without a deadline."""
    return (summary.deadline - now()).total_seconds() if summary.deadline else None


def is_overdue(summary: Summary) -> bool:
    """Say whether the deadline of a submission is over."""
    left = seconds_left(summary)
    return left is not None and left <= 0


def time_left(summary: Summary) -> str:
    """Return the time that is left, as a clock."""
    left = seconds_left(summary)
    return "" if left is None else clock(left)


def time_bar(summary: Summary, cells: int) -> list[Part]:
    """Return a bar that shrinks to the deadline."""
    left = seconds_left(summary)
    if left is None or summary.deadline is None or cells < 3:
        return []
    whole = (summary.deadline - summary.submitted_at).total_seconds() or FULL_SECONDS
    fraction = max(0.0, left / whole)
    style = "success" if fraction > 0.5 else "warning" if fraction > 0.2 else "bold error"
    return [*bar(fraction, cells, style)]
