"""What helps while code is typed, as the editor knows it."""

from __future__ import annotations

from typing import Protocol

from textual.geometry import Offset


class Assistance(Protocol):
    """Is told of keys and of the mouse before the editor acts."""

    def take_key(self, key: str) -> bool:
        """Return whether a key was taken; the editor then does nothing."""

    def moved(self) -> None:
        """Note that the cursor moved."""

    def hovered(self, location: tuple[int, int], at: Offset) -> None:
        """Note that the mouse is over a place of the text, at a place of the screen."""
