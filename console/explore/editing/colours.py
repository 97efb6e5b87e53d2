"""The syntax colours of a text that is edited: at once where it is short, else once typing pauses."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence

from console.theming.highlight import Token, highlight, highlighted_lines

AT_ONCE_CHARACTERS = 2048
"""A text that is not longer is coloured anew at every change: that takes a few milliseconds."""
MOST_CHARACTERS = 256 * 1024
"""A longer text has no colours."""
MOST_LINES_AT_ONCE = 60
PAUSE_SECONDS = 0.2
SLICE_SECONDS = 0.004
"""A long text is coloured in slices of this time, so that keys are handled in between."""


OPENERS = re.compile(r"""['"`\\]|/\*|\*/|<<|\$\{""")
"""What can change the colours of other lines than its own."""


class EditedColours:
    """The tokens of each line. Until the next pause, lines that changed are coloured by themselves."""

    def __init__(self) -> None:
        self.tokens: list[list[Token]] = []
        """The tokens of each line, as far as they are known."""
        self._lines: list[str] = []
        self._language = ""
        self._exact = False
        """Whether the tokens are those of the whole text."""

    def edited(self, lines: Sequence[str], language: str) -> bool:
        """Colour what changed; return whether `all_of` has to follow after a pause."""
        length = sum(map(len, lines)) + len(lines)
        same_language, self._language = language == self._language, language
        if length > MOST_CHARACTERS:
            self.tokens, self._lines, self._exact = [], [], True
            return False
        if length <= AT_ONCE_CHARACTERS:
            self.tokens, self._lines = highlight("\n".join(lines), language), list(lines)
            self._exact = True
            return False
        if not same_language or len(self._lines) != len(self.tokens):
            self.tokens, self._lines, self._exact = [], [], False
        if lines != self._lines:
            self._replace_changed(list(lines))
        return not self._exact

    def _replace_changed(self, lines: list[str]) -> None:
        old, self._lines = self._lines, lines
        first = _common(old, lines)
        last = _common(old[first:][::-1], lines[first:][::-1])
        gone, changed = slice(first, len(old) - last), lines[first : len(lines) - last]
        if len(changed) > MOST_LINES_AT_ONCE or gone.stop - first > MOST_LINES_AT_ONCE:
            self.tokens[gone], self._exact = [[] for _ in changed], False
            return
        self._exact &= self._stand_alone(old[gone], self.tokens[gone]) and not any(
            map(OPENERS.search, changed)
        )
        self.tokens[gone] = [self._alone(line) for line in changed]

    def _stand_alone(self, lines: list[str], tokens: list[list[Token]]) -> bool:
        """Return whether lines neither begin nor end within something that goes over lines."""
        return tokens == [self._alone(line) for line in lines] and not any(map(OPENERS.search, lines))

    def _alone(self, line: str) -> list[Token]:
        return highlight(line, self._language)[0]

    async def all_of(self) -> bool:
        """Colour the whole text in slices, after a pause; return whether anything is coloured otherwise."""
        await asyncio.sleep(PAUSE_SECONDS)
        found, until = list[list[Token]](), time.monotonic() + SLICE_SECONDS
        for line in highlighted_lines("\n".join(self._lines), self._language):
            found.append(line)
            if time.monotonic() > until:
                await asyncio.sleep(SLICE_SECONDS)
                until = time.monotonic() + SLICE_SECONDS
        changed, self.tokens, self._exact = found != self.tokens, found, True
        return changed


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines both begin with."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
                min(len(one), len(other)))  # fmt: skip
