"""A list of items, one row for each."""

from __future__ import annotations

from typing import Generic, TypeVar

from console.widgets.rows import Rows

Item = TypeVar("Item")


class ItemRows(Rows, Generic[Item]):
    """Rows that hold what they list. A subclass draws them."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.items: tuple[Item, ...] = ()

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.items)

    @property
    def chosen(self) -> Item | None:
        """The item under the cursor."""
        return self.items[self.cursor] if self.items else None

    def show(self, items: tuple[Item, ...]) -> None:
        """List these."""
        self.items = items
        self.refit()
        self.refresh()
