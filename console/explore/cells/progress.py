"""What a cell wrote so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from console.explore.cells.collected import CollectedOutput
from console.explore.cells.results import CellResult
from engine.models import OutputChunk, Stream


def partial_result(code: str, output: CollectedOutput) -> CellResult:
    """Return what a cell wrote so far."""
    return CellResult(code, output.text(Stream.STDOUT), output.text(Stream.STDERR))


class CellProgress:
    """Collects what a cell writes, and shows it again with each chunk."""

    def __init__(self, code: str, show: Callable[[CellResult], None]) -> None:
        self.output = CollectedOutput()
        self._code = code
        self._show = show
        self._status = ""

    def say(self, status: str) -> None:
        """Show how far the cell is."""
        self._status = status
        self._show(replace(partial_result(self._code, self.output), status=status, running=True))

    def clear(self) -> None:
        """Begin anew."""
        self.output.clear()

    def add(self, chunk: OutputChunk) -> None:
        """Take a chunk, and show it."""
        self.output.add(chunk)
        self.say(self._status)
