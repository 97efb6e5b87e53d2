"""Which lines of the code ran, as the interpreter inside the sandbox says."""

from __future__ import annotations

from typing import NamedTuple

from engine.common.text import Untrusted
from engine.models.base import FrozenModel

MOST_LINES = 5000
"""Lines beyond this are not marked."""
MOST_PYTHON_HITS = 100
"""Python counts a line no further, so that it runs as fast as ever."""


class LineMark(NamedTuple):
    """One line that ran."""

    line: int
    """Counted from 1."""
    hits: int
    raised: int
    """How often it raised an error."""
    milliseconds: int
    """How long the program was seen on it."""


class RunLines(FrozenModel):
    """The lines of one run that ran: the guest's own word, which hostile code can forge."""

    marks: tuple[LineMark, ...] = ()
    hits_limit: int = 0
    """So many hits of a line mean at least as many; 0: all were counted."""
    partial: bool = False
    """Whether the run goes on, or ended before the interpreter said all."""
    stack: Untrusted = Untrusted("")
    """Where the program was when it was last asked, while it runs; empty where it cannot be asked."""
    asked_at: float = 0.0
    """When that was: seconds after the code went in."""

    def without_stack(self) -> RunLines:
        """Return what is kept of a run."""
        return self._with(stack=Untrusted(""), asked_at=0.0)
