"""Reads the commands of statements that the grammar cannot, each by itself.

An error of the grammar swallows the commands around it. Nothing is known of what they share: variables,
functions and redirections of the statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.embedded import analyse_embedded, from_point
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.shell.model import Script
from engine.models import Language

MAX_COMMANDS = 200
"""How many commands are read by themselves."""
_TOKEN = re.compile(
    r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|(?P<separator>&&|\|\||;|\||&(?!>)|\n|[({](?=\s)|(?<=\s)[)}])",
    re.DOTALL,
)
_RESERVED = re.compile(r"\s*(?:(?:then|do|else|elif|if|while|until|time|!)\s+)*")


def check(script: Script) -> RawAnalysis:
    """Return what the commands of unreadable statements do, where the statement did not tell."""
    findings = RawAnalysis()
    if not script.tree.root.has_error:
        return findings
    for _, (start, text) in zip(range(MAX_COMMANDS), _commands(script), strict=False):
        place = from_point(*script.tree.lines.point(script.tree.character(start)))
        findings.add(
            analyse_embedded(
                text, Language.SHELL, script.settings, script.depth, place=place, layer="unread statement"
            )
        )
    findings.complete = True
    return findings


def _commands(script: Script) -> Iterator[tuple[int, str]]:
    """Yield the commands in statements with an error, with the bytes at which they begin."""
    root = script.tree.root
    for node in [root] if root.is_error else root.children:
        if node.has_error or node.is_error:
            text = script.tree.of(node)
            pieces = [piece for piece in _split(text) if piece[1].strip()]
            if len(pieces) > 1 or node is not root:
                yield from (
                    (node.start_byte + len(text[:at].encode("utf-8", "replace")), piece)
                    for at, piece in pieces
                    if piece.strip() != script.tree.text.strip()
                )


def _split(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts between separators of commands, without reserved words, and where they begin."""
    start = 0
    ends = [match for match in _TOKEN.finditer(text) if match["separator"]]
    for begin, end in [*((match.start(), match.end()) for match in ends), (len(text), len(text))]:
        piece = text[start:begin]
        reserved = _RESERVED.match(piece)
        skipped = reserved.end() if reserved else 0
        yield start + skipped, piece[skipped:]
        start = end
