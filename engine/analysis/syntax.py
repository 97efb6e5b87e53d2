"""tree-sitter trees: source, bytes, spans in characters, and a traversal without recursion."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from tree_sitter import Node, Parser

from engine.analysis.positions import Lines
from engine.models import Span

_WIDE = re.compile("[^\x00-\x7f\ud800-\udfff]")
"""A character of more than one byte; a lone surrogate is encoded as a question mark."""
MAX_NODES = 400_000
"""How many nodes of a tree are looked at."""


class Wide:
    """The characters of a text that take more than one byte of UTF-8, which most texts have few of."""

    def __init__(self, text: str) -> None:
        found = [(match.start(), _size(match[0])) for match in _WIDE.finditer(text)]
        self._extra = [0, *accumulate(size - 1 for _, size in found)]
        self._starts = [at + extra for (at, _), extra in zip(found, self._extra, strict=False)]
        self._ends = [start + size for start, (_, size) in zip(self._starts, found, strict=True)]

    def character(self, offset: int) -> int:
        """Return the index of the character that holds the byte at `offset`."""
        before = bisect_right(self._starts, offset)
        if before and offset < self._ends[before - 1]:
            return self._starts[before - 1] - self._extra[before - 1]
        return offset - self._extra[before]


def _size(char: str) -> int:
    """Return how many bytes a character beyond ASCII takes."""
    return 2 if char < "\u0800" else 3 if char < "\U00010000" else 4


class Tree:
    """A parsed source. Nodes count bytes of `parsed`; texts are read from the source itself.

    `parsed` may differ from the source where the grammar lacks a construct, but never in length.
    """

    _wide: Wide | None = None

    def __init__(self, parser: Parser, text: str, parsed: bytes | None = None) -> None:
        self.text = text
        self.data = text.encode("utf-8", "replace")
        self.lines = Lines(text)
        self.root = parser.parse(self.data if parsed is None else parsed).root_node

    def of(self, node: Node) -> str:
        """Return the source text of a node."""
        if self.lines.ascii:
            return self.text[node.start_byte : node.end_byte]
        return self.slice(node.start_byte, node.end_byte)

    def slice(self, start: int, end: int) -> str:
        """Return the source text between two byte offsets."""
        if self.lines.ascii:
            return self.text[start:end]
        return self.data[start:end].decode("utf-8", "replace")

    def character(self, offset: int) -> int:
        """Return the index of the character that holds the byte at `offset`."""
        if self.lines.ascii:
            return offset
        if self._wide is None:
            self._wide = Wide(self.text)
        return self._wide.character(offset)

    def row(self, offset: int) -> int:
        """Return the number of the line that holds the byte at `offset`."""
        return self.lines.point(self.character(offset))[0]

    def span(self, node: Node) -> Span:
        """Return the span of a node, in characters."""
        return self.span_of(node.start_byte, node.end_byte)

    def span_of(self, start: int, end: int) -> Span:
        """Return the span between two byte offsets, in characters."""
        return self.lines.span(self.character(start), self.character(end))


def walk(root: Node) -> Iterator[Node]:
    """Yield up to `MAX_NODES` nodes below and including `root`, each before its children, in order."""
    stack = [root]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def errors(root: Node) -> Iterator[Node]:
    """Yield what the grammar could not read: the outermost ERROR nodes and what it had to make up."""
    if not root.has_error:
        return
    stack = [root]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            stack.extend(reversed(node.children))
