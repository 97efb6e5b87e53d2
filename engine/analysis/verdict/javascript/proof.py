"""Proves that a JavaScript program can only compute and print, or says where that is not proven.

A program reaches an effect only through a global that is not on the list, or through code made from text,
which takes `Function`. It holds `Function` only by two steps along keys that are not known. The walk finds
what each expression may be, over and over until nothing is added, and refuses what could get there. It
only reads programs whose whole syntax is on the list of the subset.
docs/verdict.md has the argument in full.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice

from engine.analysis.javascript.grammar import parse
from engine.analysis.syntax import Tree
from engine.analysis.verdict.javascript import (
    calls,
    expressions,
    functions,
    objects,
    operators,
    properties,
    statements,
)
from engine.analysis.verdict.javascript.declarations import DeclaredNames
from engine.analysis.verdict.javascript.flow import Flow
from engine.analysis.verdict.javascript.global_names import GLOBALS, INHERITED_GLOBALS, UNDECLARABLE
from engine.analysis.verdict.javascript.readings import misread
from engine.analysis.verdict.javascript.shapes import unclear
from engine.analysis.verdict.javascript.subset import outside
from engine.analysis.verdict.javascript.tree import NotReadable, SyntaxPart, read_parts
from engine.analysis.verdict.javascript.walk import MOST_PLACES, Walk
from engine.common.text import Untrusted
from engine.models import Span, Unproven

MOST_WALKS = 30
"""How often the program is walked until nothing is added."""
_START = Span(line=1, column=1, end_line=1, end_column=1)
HANDLERS: Mapping[str, Callable[[Walk, SyntaxPart], int]] = {
    **statements.HANDLERS,
    **expressions.HANDLERS,
    **objects.HANDLERS,
    **properties.HANDLERS,
    **operators.HANDLERS,
    **functions.HANDLERS,
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
        root = read_parts(tree)
        return _outside(tree, root) or _walked(tree, root)
    except NotReadable as error:
        return _whole(str(error))
    except RecursionError:
        return _whole("the code is nested too deeply to be proven")


def _whole(reason: str) -> tuple[Unproven, ...]:
    return (Unproven(span=_START, reason=Untrusted(reason)),)


def _outside(tree: Tree, root: SyntaxPart) -> tuple[Unproven, ...]:
    """Return what is outside of the subset: the walk does not know what that means, and is left out."""
    flow = Flow(tree)
    for part, what in islice(outside(root), MOST_PLACES):
        flow.refuse(part, f"{what} is not in the provable subset")
    return flow.unproven()


def _walked(tree: Tree, root: SyntaxPart) -> tuple[Unproven, ...]:
    """Return what may reach an effect in a program of the subset."""
    flow, names = Flow(tree), DeclaredNames(root)
    for _ in range(MOST_WALKS):
        flow.changed = False
        flow.problems.clear()
        Walk(flow, HANDLERS, functions.define).kind(root)
        if not flow.changed:
            break
    else:
        return _whole("what the program holds could not be worked out")
    _check_names(flow, names, root)
    for part in unclear(root):
        flow.refuse(part, "it is not clear that this goes on here")
    return flow.unproven()


def _check_names(flow: Flow, names: DeclaredNames, root: SyntaxPart) -> None:
    for name in sorted(names.declared & UNDECLARABLE):
        flow.refuse(root, f"`{name}` may not be declared: Node.js or the language defines it")
    for part in names.uncertain:
        flow.refuse(part, f"`{part.text}` is a function of a block that this is not in, or another")
    for part in names.implicit:
        if part.text in GLOBALS | INHERITED_GLOBALS:
            flow.refuse(part, f"`{part.text}` belongs to the language, and is assigned to")
