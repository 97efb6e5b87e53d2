"""Patterns of shell commands (`git push *`, `npm run test:*`) as regular expressions over shell code."""

from __future__ import annotations

import re

_BEFORE = r"(?m)(?:^|[;&|({`!]|\b(?:then|do|else|sudo|env|exec|command|nohup|time|xargs)\b)[ \t]*"
_WORD_ENDS = r"(?:[ \t;&|)}`<>]|\r?$)"
_COMMAND_ENDS = r"[ \t]*(?:[;&|)}`<>#]|\r?$)"
_ANYTHING = r"[^\n]*"


def expression_of(pattern: str) -> str:
    """Return an expression that finds each command which a pattern matches.

    `*` stands for anything within a line; a pattern that ends in `:*` or ` *` matches the words before it
    alone, too, and no longer word; a pattern without `*` matches the whole command.
    """
    words, prefix = _prefix(pattern)
    return _BEFORE + _words(words) + (_WORD_ENDS if prefix else "" if words.endswith("*") else _COMMAND_ENDS)


def example_of(pattern: str) -> str:
    """Return a command that the pattern matches."""
    return re.sub(r"\*+", "x", _prefix(pattern)[0])


def matches_every_command(pattern: str) -> bool:
    """Return whether a pattern matches whatever is run."""
    return not pattern.strip().strip("*").strip().strip(":")


def _prefix(pattern: str) -> tuple[str, bool]:
    pattern = pattern.strip()
    for ending in (":*", " *"):
        if pattern.endswith(ending):
            return pattern[: -len(ending)].rstrip(), True
    return pattern, False


def _words(text: str) -> str:
    return r"[ \t]+".join(
        _ANYTHING.join(re.escape(part) for part in re.split(r"\*+", word)) for word in text.split()
    )
