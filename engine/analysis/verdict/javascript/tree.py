"""The syntax tree as the proof walks it: read once, without comments, and of bounded size and depth."""

from __future__ import annotations

from itertools import pairwise

from tree_sitter import Node

from engine.analysis.syntax import Tree

MOST_NODES = 60_000
"""How many nodes of a tree are looked at."""
DEEPEST = 120
"""How deeply nodes may be nested."""
_BLANKS = 200
"""How many bytes behind a comment are looked at for the end of its line."""
_WHOLE = frozenset({"string", "template_string", "regex"})
"""Nodes without anything between their tokens: a comment that the grammar finds there is code for Node.js."""


class NotReadable(Exception):
    """The tree is larger or deeper than the proof goes, or Node.js may read the text in another way."""


class SyntaxPart:
    """One node: its type, its named parts by field and in order, and its unnamed words."""

    __slots__ = ("end", "fields", "function", "parts", "start", "text", "type", "variable", "words")

    def __init__(self, node: Node, text: str) -> None:
        self.type = node.type
        self.start, self.end = node.start_byte, node.end_byte
        self.text = text
        self.parts: list[SyntaxPart] = []
        self.fields: dict[str, SyntaxPart] = {}
        self.words: list[str] = []
        self.variable: Variable | None = None
        """What a name refers to; nothing for a name that the program does not declare."""
        self.function: OwnFunction | None = None
        """The function that this node defines."""

    def field(self, name: str) -> SyntaxPart:
        """Return the part of a field that the grammar requires."""
        return self.fields[name]

    def own_function(self) -> OwnFunction:
        """Return the function that this node defines, which it does."""
        if self.function is None:
            raise TypeError(f"{self.type} is no function")
        return self.function


class Variable:
    """A variable of the program: what it may hold, and the functions it may be."""

    __slots__ = ("functions", "kind", "name", "others", "references")

    def __init__(self, name: str) -> None:
        self.name = name
        self.kind = 0
        self.functions: set[OwnFunction] = set()
        """The functions that are written where they are assigned to it."""
        self.others = False
        """Whether it may hold any other function."""
        self.references: list[SyntaxPart] = []
        """Where it is used, and not only bound."""


class OwnFunction:
    """A function of the program: who calls it, and what it returns."""

    __slots__ = ("escaped", "leaks", "part", "passed", "returned", "variables")

    def __init__(self, part: SyntaxPart) -> None:
        self.part = part
        self.variables: set[Variable] = set()
        """The names that it is given where it is written."""
        self.escaped = False
        """Whether it is used as a value, so that anybody may call it."""
        self.leaks = False
        """Whether those who call it may do anything with what it returns."""
        self.passed: dict[int, int] = {}
        """What callers that are known pass, by the number of the parameter."""
        self.returned = 0

    def is_never_called(self) -> bool:
        """Return whether it has a name that nothing but the function itself mentions."""
        references = [one for variable in self.variables for one in variable.references]
        inside = all(self.part.start <= one.start < self.part.end for one in references)
        return inside and bool(self.variables)


def read_parts(tree: Tree) -> SyntaxPart:
    """Return the tree of a program, or raise `NotReadable`."""
    if tree.root.descendant_count > MOST_NODES:
        raise NotReadable("the code is too long to be proven")
    root = SyntaxPart(tree.root, "")
    stack = [(tree.root, root, 0)]
    while stack:
        node, part, depth = stack.pop()
        if depth > DEEPEST:
            raise NotReadable("the code is nested too deeply to be proven")
        if node.type in _WHOLE and not _is_whole(node):
            raise NotReadable("a text or a regular expression has a comment or a gap in it")
        for number, child in enumerate(node.children):
            if not child.is_named:
                _add_word(node, part, number, child)
            elif child.type == "comment":
                _check_comment(tree, child)
            else:
                below = SyntaxPart(child, tree.of(child) if child.named_child_count == 0 else "")
                part.parts.append(below)
                name = node.field_name_for_child(number)
                if name is not None:
                    part.fields.setdefault(name, below)
                stack.append((child, below, depth + 1))
    return root


def _is_whole(node: Node) -> bool:
    """Return whether each token follows directly on the one before."""
    tokens = [child for child in node.children if child.type != "comment"]
    return all(before.end_byte == after.start_byte for before, after in pairwise(tokens))


def _check_comment(tree: Tree, comment: Node) -> None:
    """Check that no line ends only within a comment: the grammar takes `async /*…*/ f` for one line."""
    if comment.start_point.row == comment.end_point.row:
        return
    before = tree.slice(comment.start_byte - comment.start_point.column, comment.start_byte)
    after, ends, _ = tree.slice(comment.end_byte, comment.end_byte + _BLANKS).partition("\n")
    is_end = bool(ends) or comment.end_byte + _BLANKS >= len(tree.data)
    if before.strip() and (after.strip() or not is_end):
        raise NotReadable("a line ends within a comment that has code on both sides")


def _add_word(node: Node, part: SyntaxPart, number: int, child: Node) -> None:
    part.words.append(child.type)
    if node.field_name_for_child(number) == "operator":
        part.text = child.type
