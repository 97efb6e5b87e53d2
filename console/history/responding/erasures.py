"""What was erased, by whom and why: one row for each erasure."""

from __future__ import annotations

import json
from typing import ClassVar

from textual.binding import Binding, BindingType

from console.history.responding.items_sheet import ItemsSheet
from console.safety.text import Part, clip
from console.widgets.item_rows import ItemRows
from engine.client.client import Client
from engine.common.text import many
from engine.models.erasing.erasure import RecordedErasure

SEVERAL = "several submissions"


class ErasureRows(ItemRows[RecordedErasure]):
    """One row for each erasure, the newest first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = ([("Nothing was erased.", "bold success")],)

    def __init__(self) -> None:
        super().__init__(id="erasures")

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw an erasure: when, of what, and how much."""
        one = self.items[index]
        much = f"  {many(one.contents, 'content')}, {many(one.records, 'record')}"
        about = clip(one.submission if one.submission else SEVERAL, max(8, width - len(much) - 20))
        return [" ", (f"{one.at:%Y-%m-%d %H:%M}  ", "muted"), (about, "bold"), (much, "muted")]


class ErasuresScreen(ItemsSheet[RecordedErasure]):
    """Lists the erasures that were done."""

    HELP_TITLE = "Erasures"
    HELP_WORDS = (
        "Each erasure, on request or by a rule of retention: of which submission, how much went, why, "
        "and who erased it. f searches for the submission."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "find", "Find", id="erasures.find", tooltip="Search the history for the submission"),
        Binding("escape,q", "leave", "Back", id="erasures.leave", tooltip="Close the list"),
    ]

    def __init__(self, *, leads_on: bool = True) -> None:
        super().__init__(ErasureRows(), None, leads_on=leads_on)

    async def fetch(self, client: Client) -> tuple[RecordedErasure, ...]:
        """Return the newest erasures."""
        return await client.erasures.list()

    def lines(self, item: RecordedErasure) -> list[list[Part]]:
        """Return why something was erased, and who did it."""
        return [
            [("rule   ", "muted"), item.rule, (f"  {item.scope}", "muted")],
            [("reason ", "muted"), item.reason if item.reason else "(none)"],
            [("by     ", "muted"), item.by],
        ]

    def action_find(self) -> None:
        """Close, and search for the submission under the cursor."""
        chosen = self.rows.chosen
        if chosen is None or not chosen.submission:
            self.notify("It was of several submissions: none to search for.", severity="warning")
            return
        self.dismiss(f"id:{json.dumps(chosen.submission.text, ensure_ascii=False)}")
