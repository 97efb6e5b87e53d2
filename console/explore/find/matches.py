"""What is found in a text: plain words, or a regular expression that cannot run away."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import re2

MOST_MATCHES = 10_000
"""Later matches are neither shown nor replaced."""
MOST_MEMORY = 8 << 20
"""Bytes that a regular expression may take; a larger one is refused."""
LONGEST_PATTERN = 1000
EXPRESSION = re.compile(r"/(.+)/(i?)", re.DOTALL)
SURROGATE = re.compile("[\ud800-\udfff]")
ESCAPE = re.compile(r"\\(\d|n|t|\\)")


@dataclass(frozen=True)
class Match:
    """A place in a text, from `start` to before `end`, and what its groups took, the whole first."""

    start: int
    end: int
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """What is searched for, as typed: words, or `/expression/`, or `/expression/i` for either case.

    Words without a capital letter are found in either case.
    """

    typed: str

    @property
    def is_expression(self) -> bool:
        """Whether a regular expression was typed."""
        return EXPRESSION.fullmatch(self.typed) is not None

    def matches(self, text: str) -> tuple[Match, ...]:
        """Return the places where the query is found, from the first on, `MOST_MATCHES` at most.

        Raises:
            ValueError: the regular expression is none, or too large.
        """
        if not self.typed:
            return ()
        found = list[Match]()
        for one in self._compiled().finditer(SURROGATE.sub("\ufffd", text)):
            if one.start() < one.end():
                groups = tuple(group or "" for group in (one.group(0), *one.groups()))
                found.append(Match(one.start(), one.end(), groups))
            if len(found) == MOST_MATCHES:
                break
        return tuple(found)

    def _compiled(self) -> Any:
        if len(self.typed) > LONGEST_PATTERN:
            raise ValueError(f"longer than {LONGEST_PATTERN:,} characters")
        expression = EXPRESSION.fullmatch(self.typed)
        pattern = expression[1] if expression else self.typed
        options = re2.Options()
        options.literal, options.log_errors, options.max_mem = expression is None, False, MOST_MEMORY
        options.case_sensitive = not expression[2] if expression else pattern != pattern.lower()
        prefix = "(?m)" if expression else ""
        try:
            return re2.compile(prefix + SURROGATE.sub("\ufffd", pattern), options)
        except re2.error as error:
            raise ValueError(_reason(error)) from None

    def replacement(self, match: Match, template: str) -> str:
        r"""Return what stands for a match: in an expression's template `\1` is a group, `\n` a new line."""
        if not self.is_expression:
            return template
        return ESCAPE.sub(lambda escape: _unescaped(escape[1], match), template)

    def replaced(self, text: str, template: str) -> str:
        """Return the text with every match replaced.

        Raises:
            ValueError: the regular expression is none, or too large.
        """
        pieces, at = list[str](), 0
        for match in self.matches(text):
            pieces += (text[at : match.start], self.replacement(match, template))
            at = match.end
        return "".join(pieces) + text[at:]


def _unescaped(escape: str, match: Match) -> str:
    if escape.isdigit():
        return match.groups[int(escape)] if int(escape) < len(match.groups) else ""
    return {"n": "\n", "t": "\t"}.get(escape, escape)


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else "no regular expression"
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
