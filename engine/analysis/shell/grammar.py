"""Parses shell source."""

from __future__ import annotations

import re
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from engine.analysis.shell.constructs import readable
from engine.analysis.syntax import Tree

_LINE = re.compile(rb"[^\n]+")
_OPENS_NOTHING = re.compile(rb"(?<![$<>=@?*+!])\(")
_MONSTROUS = 4000
_MAX_OPENED = 400
_MAX_NESTED = 200
_BRACKET = re.compile(rb"[()\n]")
_OPEN = ord("(")
_NO_BRACKETS = bytes(set(range(256)) - set(b"()"))
_ALONE = re.compile(r"(?<![&<>|])&(?![&>])")
_CONTROL = re.compile("[\x00-\x08]")
_KINDS = (
    "function_definition", "comment", "subshell", "command_substitution", "process_substitution",
    "arithmetic_expansion", "raw_string", "ansi_c_string", "string", "heredoc_body", "heredoc_redirect",
    "subscript", "c_style_for_statement", "compound_statement", "array",
)  # fmt: skip
"""Kinds of nodes that are looked for in a whole script."""


@cache
def bash() -> Language:
    """Return the grammar of bash."""
    return Language(tree_sitter_bash.language())


@cache
def _parser() -> Parser:
    return Parser(bash())


@cache
def _looked_at() -> Query:
    return Query(bash(), " ".join(f"({kind}) @{kind}" for kind in _KINDS))


@cache
def _in_background() -> Query:
    """The nodes before a `&`: asking a node for its parents costs as much as it is deep."""
    return Query(bash(), '((_) @found . "&")')


def is_escaped(data: bytes, at: int) -> bool:
    """Return whether a backslash quotes the character at an offset."""
    start = at
    while start > 0 and data[start - 1] == ord("\\"):
        start -= 1
    return (at - start) % 2 == 1


def nodes_by_kind(tree: Tree) -> dict[str, list[Node]]:
    """Return the nodes that are looked for in a whole script, by kind: one search for all of them."""
    return QueryCursor(_looked_at()).captures(tree.root)


def background(tree: Tree) -> set[tuple[int, int]]:
    """Return the spans of what is started in the background, each command of a pipeline or list included."""
    if not _ALONE.search(tree.text):
        return set()
    stack = QueryCursor(_in_background()).captures(tree.root).get("found", [])
    spans: set[tuple[int, int]] = set()
    while stack:
        node = stack.pop()
        spans.add((node.start_byte, node.end_byte))
        if node.type in {"redirected_statement", "pipeline", "list"}:
            stack.extend(node.named_children)
    return spans


def parse(source: str) -> tuple[Tree, bool]:
    """Return the tree of `source`, and whether all of it was parsed.

    The first control characters, which words use as marks, are replaced. Lines with hundreds of parentheses
    that open nothing are left out: what the grammar cannot read takes it time that grows with the square.
    So is what lies within hundreds of substitutions: each of them is read once for every one around it.
    """
    text = _CONTROL.sub("\x1a", source)
    data = readable(text.encode("utf-8", "replace"))
    tame = data if len(data) < _MONSTROUS else _LINE.sub(_tamed, data)
    tame = tame if tame.count(b"(") < _MAX_NESTED else _flattened(tame)
    return Tree(_parser(), text, tame), tame == data


def _tamed(match: re.Match[bytes]) -> bytes:
    line = match[0]
    if len(line) < _MONSTROUS or len(_OPENS_NOTHING.findall(line)) < _MAX_OPENED:
        return line
    return b" " * len(line)


def _is_nested(data: bytes) -> bool:
    """Return whether more parentheses are open somewhere than are left in."""
    depth = 0
    for bracket in data.translate(None, _NO_BRACKETS):
        depth += 1 if bracket == _OPEN else -1 if depth > 0 else 0
        if depth > _MAX_NESTED:
            return True
    return False


def _flattened(data: bytes) -> bytes:
    """Return the script without what is nested too deeply, which ends with its line at the latest."""
    if not _is_nested(data):
        return data
    depth, flat, start = 0, bytearray(data), -1
    for match in _BRACKET.finditer(data + b"\n"):
        if match[0] == b"(":
            depth += 1
            start = match.start() if depth == _MAX_NESTED + 1 else start
            continue
        if start >= 0 and (match[0] == b"\n" or depth == _MAX_NESTED + 1):
            end = match.start() + (match[0] == b")")
            flat[start:end] = b" " * (end - start)
            start, depth = -1, depth if match[0] == b")" else 0
        depth -= depth > 0 and match[0] == b")"
    return bytes(flat[: len(data)])
