"""A JavaScript program as the rules see it: every call with its callee and arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from engine.analysis.javascript.resolver import Resolver
from engine.analysis.javascript.scopes import Names
from engine.analysis.javascript.values import NOTHING, UNKNOWN, JavaScriptScope, JavaScriptValue
from engine.analysis.syntax import Tree
from engine.models import Evidence, Span
from engine.settings import AnalysisSettings


class JavaScriptCall(NamedTuple):
    """A call or a `new`: the path of what is called, and the arguments."""

    node: Node
    scope: JavaScriptScope
    path: str
    target: JavaScriptValue
    args: tuple[JavaScriptValue, ...]
    nodes: tuple[Node, ...]
    """The node that each argument is from: of what a list holds, that of the list."""
    tree: Tree

    @property
    def span(self) -> Span:
        """Its position in the source."""
        return self.tree.span(self.node)

    def arg(self, index: int) -> JavaScriptValue:
        """Return an argument, or nothing known where there is none."""
        return self.args[index] if index < len(self.args) else NOTHING

    @property
    def taints(self) -> frozenset[str]:
        """The taints of all arguments."""
        return frozenset(taint for arg in self.args for taint in arg.taints)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The assignments from which the callee and the arguments came."""
        steps = [step for value in (self.target, *self.args) for step in value.origin]
        return tuple(step.evidence for step in tuple(dict.fromkeys(steps))[:8])


@dataclass(slots=True)
class Program:
    """Everything that was read of one program."""

    tree: Tree
    names: Names
    resolver: Resolver
    settings: AnalysisSettings
    depth: int
    calls: list[JavaScriptCall] = field(default_factory=list)

    def text(self, node: Node) -> str:
        """Return the source of a node, for people, cut at 120 characters."""
        text = " ".join(self.tree.of(node)[:400].split())
        return text if len(text) <= 120 else text[:119] + "…"

    def paths(self) -> Iterator[tuple[Node, JavaScriptValue]]:
        """Yield every member and name with what it refers to."""
        for node, scope in self.names.of("member_expression", "subscript_expression", "identifier"):
            yield node, self.resolver.value(node, scope)


def shown(value: JavaScriptValue) -> str:
    """Return a value's text for people: unknown stretches become `…`."""
    return value.text.replace(UNKNOWN, "…")[:160]
