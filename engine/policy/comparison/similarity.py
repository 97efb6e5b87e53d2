"""How similar two pieces of code are, regardless of the names of local variables."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

import tree_sitter

from engine.models import Language
from engine.policy.comparison.fingerprint import local_names
from engine.policy.comparison.syntax_trees import parse_source

SHINGLE = 4
"""How many tokens in a row are compared as one."""
MOST_TOKENS = 50_000
_WORD = re.compile(r"\w+|[^\w\s]")
_BINDING = {
    "variable_declarator", "formal_parameters", "arrow_function", "variable_assignment", "for_in_statement"
}  # fmt: skip
_NAMES = {"identifier", "variable_name"}

Sketch = frozenset[int]
"""The hashes of all sequences of tokens in code."""


def sketch(code: str, language: Language | None) -> Sketch:
    """Return what code is compared by: the tokens of its syntax in rows of four, local names without name.

    Code that cannot be parsed, or is of no language, is compared by its words.
    """
    try:
        tokens = list(_first(_tokens(code, language) if language else _WORD.findall(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tokens = list(_first(_WORD.findall(code)))
    rows = (tokens[at : at + SHINGLE] for at in range(max(1, len(tokens) - SHINGLE + 1)))
    return frozenset(_hash("\0".join(row)) for row in rows)


def similarity(one: Sketch, other: Sketch) -> float:
    """Return the similarity of two pieces of code, from 0 to 1 (Jaccard index)."""
    return len(one & other) / len(one | other) if one and other else 0.0


def _tokens(code: str, language: Language) -> Iterator[str]:
    if language is Language.PYTHON:
        tree = ast.parse(code)
        return _python(tree, frozenset(local_names(tree)))
    source = code.encode()
    leaves = list(_leaves(parse_source(source, language)))
    bound = {_text(leaf, source) for leaf, inside in leaves if leaf.type in _NAMES and inside in _BINDING}
    return (_leaf(leaf, source, bound) for leaf, _ in leaves)


def _python(node: Any, local: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.AST):
        yield type(node).__name__
        for _, value in ast.iter_fields(node):
            yield from _python(value, local)
    elif isinstance(node, list):
        for item in node:
            yield from _python(item, local)
    elif node is not None:
        yield "#" if isinstance(node, str) and node in local else repr(node)


def _leaves(root: tree_sitter.Node) -> Iterator[tuple[tree_sitter.Node, str]]:
    """Yield the leaves of a tree, comments left out, each with the type of its parent node."""
    open_nodes = [(root, "")]
    while open_nodes:
        node, inside = open_nodes.pop()
        if not node.children and node.type != "comment":
            yield node, inside
        open_nodes += [(child, node.type) for child in reversed(node.children)]


def _leaf(node: tree_sitter.Node, source: bytes, bound: set[str]) -> str:
    text = _text(node, source)
    return "#" if node.type in _NAMES and text in bound else text


def _text(node: tree_sitter.Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode(errors="replace")


def _first(tokens: Iterable[str]) -> Iterator[str]:
    for number, token in enumerate(tokens):
        if number == MOST_TOKENS:
            return
        yield token


def _hash(row: str) -> int:
    return int.from_bytes(hashlib.blake2b(row.encode(errors="replace"), digest_size=8).digest())
