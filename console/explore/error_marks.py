"""Marks the line of the editor at which a run failed, and leads to it and to its callers."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from console.explore.editor import Editor
from console.explore.error_lines import RunError, named_line, run_error
from console.safety.text import Part
from engine.models import Result


class ErrorMarks:
    """The error of the last run, for as long as the code is what ran."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._error: RunError | None = None
        self._next = 0

    @property
    def found(self) -> bool:
        """Whether the last run named a line of the code."""
        return self._error is not None

    def show(self, ran: str, result: Result | None, outputs: Sequence[Sequence[str]]) -> None:
        """Mark where a run of the code `ran` failed, unless the code was changed meanwhile.

        The first of `outputs` that names a line counts.
        """
        editor = self._screen.query_one(Editor)
        failed = result is not None and result.exit_code != 0
        known = failed and editor.text == ran
        count = ran.count("\n") + 1
        found = (run_error(each, editor.code_language, count) for each in outputs)
        self._mark(next(filter(None, found), None) if known else None)

    def clear(self) -> None:
        """Remove the mark: the code is no longer what ran."""
        if self._error is not None:
            self._mark(None)

    def _mark(self, error: RunError | None) -> None:
        if error == self._error:
            return
        self._error, self._next = error, 0
        editor = self._screen.query_one(Editor)
        if error is None:
            editor.mark_error(None)
        else:
            editor.mark_error(error.lines[0] - 1, error.message)

    def visit(self) -> None:
        """Move the cursor to the line that failed, then to its callers, one after the other."""
        if self._error is None:
            return
        line = self._error.lines[self._next % len(self._error.lines)]
        self._next += 1
        self._go_to(line)

    def follow(self, said: str) -> None:
        """Move the cursor to the line of the code that a line of the output names, if it names one."""
        editor = self._screen.query_one(Editor)
        line = named_line(said, editor.code_language)
        if self._error is not None and line is not None and 1 <= line <= editor.document.line_count:
            self._go_to(line)

    def _go_to(self, line: int) -> None:
        editor = self._screen.query_one(Editor)
        editor.focus()
        editor.move_cursor((line - 1, 0), center=True)

    def sentence(self) -> list[list[Part]]:
        """Return the line of the status that names the error; nothing where there is none."""
        if self._error is None:
            return []
        where = (f"line {self._error.lines[0]}: ", "bold error")
        return [[where, self._error.message, ("   F8 goes there", "faint")]]
