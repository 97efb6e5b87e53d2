"""The syntax colours of one code, found from its first line on, as far as somebody looks."""

from __future__ import annotations

import time

from console.theming.highlight import Token, highlighted_lines


class LineColours:
    """The tokens of the lines that were read so far."""

    def __init__(self, code: str = "", language: str = "") -> None:
        self.language = language
        self.tokens: list[list[Token]] = []
        """The tokens of each line, from the first line on; grows."""
        self._lines = highlighted_lines(code, language)
        self._ended = False

    def known(self, line: int) -> bool:
        """Say whether the tokens of a line, counted from 0, are there."""
        return self._ended or line < len(self.tokens)

    def read(self, line: int, seconds: float) -> bool:
        """Read up to a line, but for so many seconds of CPU only; say whether the line was reached."""
        end = time.thread_time() + seconds
        while not self.known(line) and time.thread_time() < end:
            if (tokens := next(self._lines, None)) is None:
                self._ended = True
            else:
                self.tokens.append(tokens)
        return self.known(line)
