"""Lines that are fitted to the width of their panel."""

from __future__ import annotations

from collections.abc import Sequence

from textual.widgets import Static

from console.safety.text import Part, hanging, paragraphs


class FittedLines(Static):
    """Shows lines; what is longer than the panel is wide stays beside its label."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lines: Sequence[list[Part]] = ()

    def show(self, lines: Sequence[list[Part]]) -> None:
        """Show these lines."""
        self._lines = lines
        self._fit()

    def on_resize(self) -> None:
        """Fit to the new width."""
        self._fit()

    def _fit(self) -> None:
        cells = self.content_size.width
        self.update(paragraphs(*(each for line in self._lines for each in hanging(line, cells))))
