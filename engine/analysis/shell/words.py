"""Expands the nodes of a word: quotes removed, constants filled in."""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from engine.analysis.shell.expansion import parameter, unescaped
from engine.analysis.shell.values import (
    CLOSE,
    COMMA,
    GAP,
    GLOB,
    OPEN,
    UNKNOWN,
    ShellValue,
    SourceStep,
    Variables,
)
from engine.analysis.syntax import Tree

MAX_DEPTH = 24
_BLANKS = re.compile(r"[ \t\n]+")
_BACKSLASH = re.compile(r"\\(.|\n)", re.DOTALL)
_MARKS = str.maketrans({"{": OPEN, ",": COMMA, "}": CLOSE, "*": GLOB, "?": GLOB})
_IN_DOUBLE = re.compile(r"\\([$`\"\\\n])")


Substitution = Callable[[Node, int], ShellValue]
"""Returns what a command substitution, found at a depth, prints."""


class WordEvaluator:
    """Evaluates words of one tree with the variables of the moment."""

    def __init__(self, tree: Tree, variables: Variables, substitute: Substitution) -> None:
        self.tree = tree
        self.variables = variables
        self._substitute = substitute

    def marked(self, node: Node) -> ShellValue:
        """Return the text of a word with marks, and where it came from."""
        literal = _LITERALS.get(node.type)
        if literal is not None:
            return ShellValue(literal(self.tree.of(node)))
        parts: list[str] = []
        origin: list[SourceStep] = []
        taints: set[str] = set()
        self._collect(node, parts, taints, origin, quoted=False, depth=0)
        return ShellValue("".join(parts), frozenset(taints), tuple(dict.fromkeys(origin))[:6])

    def _collect(
        self,
        node: Node,
        parts: list[str],
        taints: set[str],
        origin: list[SourceStep],
        *,
        quoted: bool,
        depth: int,
    ) -> None:
        if depth > MAX_DEPTH:
            parts.append(UNKNOWN)
            return
        kind = node.type
        if kind in _LITERALS:
            parts.append(_LITERALS[kind](self.tree.of(node)))
        elif kind in {"string", "translated_string", "concatenation", "command_name", "heredoc_body"}:
            inside = quoted or kind not in {"concatenation", "command_name"}
            self._compose(node, parts, taints, origin, quoted=inside, depth=depth + 1)
        else:
            value = self._expanded(node, depth)
            parts.append(value.text if quoted else self._split(value.text))
            taints |= value.taints
            origin.extend(value.origin)

    def _split(self, text: str) -> str:
        """Return an unquoted expansion with a gap where IFS splits it."""
        separators = self.variables.get("IFS").text
        if separators == " \t\n" or UNKNOWN in separators:
            return _BLANKS.sub(GAP, text)
        return re.sub(f"[{re.escape(separators)}]", GAP, text) if separators else text

    def _compose(
        self,
        node: Node,
        parts: list[str],
        taints: set[str],
        origin: list[SourceStep],
        *,
        quoted: bool,
        depth: int,
    ) -> None:
        """Join children and the text between them, which the grammar leaves out of its nodes."""
        opener = node.type in {"string", "translated_string"}
        at = node.start_byte + (2 if node.type == "translated_string" else 1 if opener else 0)
        end = node.end_byte - (1 if opener else 0)
        for child in node.named_children:
            if child.start_byte > at:
                parts.append(self._between(at, child.start_byte, quoted=quoted))
            if child.type in {"string_content", "heredoc_content"}:
                parts.append(_double(self.tree.of(child)))
            elif child.type != "comment":
                self._collect(child, parts, taints, origin, quoted=quoted, depth=depth)
            at = child.end_byte
        if end > at:
            parts.append(self._between(at, end, quoted=quoted))

    def _between(self, start: int, end: int, *, quoted: bool) -> str:
        text = self.tree.slice(start, end)
        return _double(text) if quoted else _word(text)

    def _expanded(self, node: Node, depth: int) -> ShellValue:
        kind = node.type
        if kind == "simple_expansion":
            return self.variables.get(self.tree.of(node)[1:])
        if kind == "expansion":
            return parameter(self.tree.of(node), self.variables)
        if kind == "command_substitution":
            return self._substitute(node, depth + 1)
        if kind == "process_substitution":
            return ShellValue("/dev/fd/" + UNKNOWN, self._substitute(node, depth + 1).taints)
        return ShellValue(UNKNOWN if kind == "arithmetic_expansion" else self.tree.of(node))


def _word(text: str) -> str:
    if "\\" not in text:
        return text.translate(_MARKS)
    plain: list[str] = []
    at = 0
    for match in _BACKSLASH.finditer(text):
        plain.append(text[at : match.start()].translate(_MARKS))
        plain.append("" if match[1] == "\n" else match[1])
        at = match.end()
    return "".join(plain) + text[at:].translate(_MARKS)


def _double(text: str) -> str:
    return _IN_DOUBLE.sub(lambda match: "" if match[1] == "\n" else match[1], text) if "\\" in text else text


_LITERALS: dict[str, Callable[[str], str]] = {
    "word": _word,
    "number": str,
    "brace_expression": _word,
    "variable_name": str,
    "string_content": _double,
    "heredoc_content": _double,
    "raw_string": lambda text: text[1:-1],
    "ansi_c_string": lambda text: unescaped(text[2:-1]),
    "regex": str,
    "extglob_pattern": str,
    "test_operator": str,
    "special_variable_name": str,
    "file_descriptor": str,
}
