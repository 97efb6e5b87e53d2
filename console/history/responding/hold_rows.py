"""The list of legal holds, one row for each."""

from __future__ import annotations

from typing import ClassVar

from console.safety.text import Part, clip
from console.widgets.item_rows import ItemRows
from engine.models.erasing.erasure import Hold


class HoldRows(ItemRows[Hold]):
    """One row for each legal hold in force, the newest first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No legal holds.", "bold success")],
        [],
        [("n places one on what is selected; e erases it.", "muted")],
    )

    def __init__(self) -> None:
        super().__init__(id="holds")

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a hold: what it keeps, since when."""
        one = self.items[index]
        since = f"  since {one.at:%Y-%m-%d %H:%M}"
        query = clip(one.query, max(8, width - len(since) - 16))
        return [" ", one.id, "  ", (query, "bold"), (since, "muted")]


def hold_lines(hold: Hold) -> list[list[Part]]:
    """Return what a hold keeps, why, and who placed it."""
    return [
        [("keeps  ", "muted"), hold.query],
        [("reason ", "muted"), hold.reason],
        [(f"placed {hold.at:%Y-%m-%d %H:%M} UTC by ", "muted"), hold.by],
    ]
