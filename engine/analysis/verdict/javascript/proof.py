"""Proves that a JavaScript program can only compute and print, or says where that is not proven.

A program reaches an effect only through a global that is not on the list, or through code made from text,
which takes `Function`. It holds `Function` only by two steps along keys that are not known. The walk finds
what each expression may be, over and over until nothing is added, and refuses what could get there.
docs/verdict.md has the argument in full.
"""

from __future__ import annotations

from engine.analysis.javascript.grammar import parse
from engine.analysis.syntax import Tree
from engine.analysis.verdict.javascript import calls, definitions, expressions, operators, statements
from engine.analysis.verdict.javascript.flow import Flow
from engine.analysis.verdict.javascript.names import GLOBALS, INHERITED_GLOBALS, UNDECLARABLE
from engine.analysis.verdict.javascript.readings import misread
from engine.analysis.verdict.javascript.scopes import DeclaredNames
from engine.analysis.verdict.javascript.shapes import unclear
from engine.analysis.verdict.javascript.subset import outside
from engine.analysis.verdict.javascript.tree import NotReadable, SyntaxPart, read_parts
from engine.analysis.verdict.javascript.walk import Walk
from engine.common.text import Untrusted
from engine.models import Span, Unproven

MOST_WALKS = 30
"""How often the program is walked until nothing is added."""
_START = Span(line=1, column=1, end_line=1, end_column=1)
_HANDLERS = {
    **statements.HANDLERS,
    **expressions.HANDLERS,
    **operators.HANDLERS,
    **definitions.HANDLERS,
    **calls.HANDLERS,
}


def prove(source: str) -> tuple[Unproven, ...]:
    """Return the places that are not proven: none where the program is harmless."""
    reason = misread(source)
    if reason is not None:
        return _whole(reason)
    tree = parse(source)
    if tree.root.has_error:
        return _whole("the code cannot be parsed")
    try:
        return _ScriptProof(tree, read_parts(tree)).run()
    except NotReadable as error:
        return _whole(str(error))
    except RecursionError:
        return _whole("the code is nested too deeply to be proven")


def _whole(reason: str) -> tuple[Unproven, ...]:
    return (Unproven(span=_START, reason=Untrusted(reason)),)


class _ScriptProof:
    def __init__(self, tree: Tree, root: SyntaxPart) -> None:
        self._root = root
        self._flow = Flow(tree)
        self._scopes = DeclaredNames(root)
        self._unclear, self._outside = list(unclear(root)), list(outside(root))
        self._uses_this = _mentions_this(root)

    def run(self) -> tuple[Unproven, ...]:
        """Return the places that are not proven."""
        flow = self._flow
        for _ in range(MOST_WALKS):
            flow.changed = False
            flow.problems.clear()
            walk = Walk(flow, _HANDLERS, uses_this=self._uses_this)
            walk.strict = definitions.is_strict(self._root)
            walk.kind(self._root)
            self._check_names()
            for part in self._unclear:
                flow.refuse(part, "it is not clear that this goes on here")
            for part, what in self._outside:
                flow.refuse(part, f"{what} is not in the provable subset")
            if not flow.changed:
                return flow.unproven()
        return _whole("what the program holds could not be worked out")

    def _check_names(self) -> None:
        for name in sorted(self._scopes.declared & UNDECLARABLE):
            self._flow.refuse(self._root, f"`{name}` may not be declared: Node.js or the language defines it")
        for part in self._scopes.uncertain:
            self._flow.refuse(part, f"`{part.text}` is a function of a block that this is not in, or another")
        for part in self._scopes.implicit:
            if part.text in GLOBALS | INHERITED_GLOBALS:
                self._flow.refuse(part, f"`{part.text}` belongs to the language, and is assigned to")
            if self._uses_this:
                self._flow.refuse(part, f"`{part.text}` is not declared, and `this` may be the global object")


def _mentions_this(root: SyntaxPart) -> bool:
    """Return whether a program has `this` anywhere, or `super.x`, which is called and set with it."""
    stack = [root]
    while stack:
        part = stack.pop()
        owner = part.fields.get("object")
        if part.type == "this" or (owner is not None and owner.type == "super"):
            return True
        stack.extend(part.parts)
    return False
