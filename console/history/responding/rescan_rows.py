"""The list of rescans, one row for each: how far it is, and what it found."""

from __future__ import annotations

from typing import ClassVar

from console.safety.text import Part, clip
from console.widgets.formatting import bar
from console.widgets.item_rows import ItemRows
from engine.models.history import Total
from engine.models.rescan import Rescan, RescanOutcome, RescanState

CELLS = 10
STYLES = {RescanState.RUNNING: "warning", RescanState.STOPPED: "muted", RescanState.FINISHED: "success"}


class RescanRows(ItemRows[Rescan]):
    """One row for each rescan, the newest first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No rescans.", "bold success")],
        [],
        [("n applies today's analysis and policy to what is selected.", "muted")],
    )

    def __init__(self) -> None:
        super().__init__(id="rescans")

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a rescan: its state, its progress, and how many are worse."""
        one = self.items[index]
        worse = one.counts.get(RescanOutcome.WORSE, 0)
        return [
            " ", one.id, "  ", (f"{one.state.value:<9}", STYLES[one.state]),
            *bar(share_done(one), CELLS, "primary"), f" {one.done:,} of {total_words(one.total)}",
            (f"  {worse:,} worse", "bold error" if worse else "muted"),
            ("  " + clip(one.request.query or "everything", max(8, width - 66)), "muted"),
        ]  # fmt: skip


def share_done(rescan: Rescan) -> float:
    """Return how much of a rescan is done; all of one that finished."""
    if rescan.state is RescanState.FINISHED:
        return 1.0
    return min(1.0, rescan.done / max(1, rescan.total.count))


def total_words(total: Total) -> str:
    """Return how many there are: exactly, or at least."""
    return f"{'' if total.exact else 'at least '}{total.count:,}"


def rescan_lines(rescan: Rescan) -> list[list[Part]]:
    """Return what a rescan is about, and what it found."""
    counts = ", ".join(f"{count:,} {outcome.value}" for outcome, count in rescan.counts.items())
    return [
        [("query  ", "muted"), rescan.request.query or "everything"],
        [("found  ", "muted"), counts or "nothing yet", (f"; {rescan.skipped:,} without code", "muted")],
        [(f"begun {rescan.at:%Y-%m-%d %H:%M} UTC at {rescan.request.share:.0%} of a core by ", "muted"),
         rescan.by],
    ]  # fmt: skip
