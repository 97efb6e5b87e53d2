"""Comments of the grammar that bash takes for words, and would expand."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.shell.grammar import is_escaped
from engine.analysis.shell.model import Script
from engine.analysis.syntax import Tree
from engine.analysis.text.rules import READINGS
from engine.models import Violation

_BEFORE = frozenset(b" \t\n;&|()<>")
"""What a comment may follow: the blanks and metacharacters of bash (Bash Reference Manual, 3.1.3 and 2)."""
_COMMANDS = frozenset({"program", "command_substitution", "process_substitution", "subshell"})
"""What holds commands, and so comments."""
_WORDS = frozenset(
    {"arithmetic_expansion", "c_style_for_statement", "concatenation", "expansion", "heredoc_body", "string",
     "subscript", "test_command", "ERROR"}
)  # fmt: skip
"""What holds words or sums, in which `#` begins no comment."""


def check(script: Script) -> Iterator[Violation]:
    """Yield the comments that bash reads otherwise."""
    for node in sorted(script.nodes("comment"), key=lambda node: node.start_byte):
        if not _is_comment(node, script.tree):
            yield READINGS.violation(script.tree.span(node), "Bash reads this comment as a word")


def _is_comment(node: Node, tree: Tree) -> bool:
    return (
        _begins_a_word(tree.data, node.start_byte) and _is_among_commands(node) and not _is_body(node, tree)
    )


def _begins_a_word(data: bytes, at: int) -> bool:
    """Return whether the character at an offset begins a word: nothing quotes the blank in front of it."""
    while data[at - 2 : at] == b"\\\n" and is_escaped(data, at - 1):
        at -= 2
    return at == 0 or (data[at - 1] in _BEFORE and not is_escaped(data, at - 1))


def _is_among_commands(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type not in _COMMANDS:
        if parent.type in _WORDS:
            return False
        parent = parent.parent
    return True


def _is_body(node: Node, tree: Tree) -> bool:
    """Return whether it is text of a here-document that the grammar takes for more of the command."""
    if node.parent is None or node.parent.type != "heredoc_redirect":
        return False
    starts = [child.end_byte for child in node.parent.children if child.type == "heredoc_start"]
    return not starts or b"\n" in tree.data[starts[0] : node.start_byte]
