"""What is known about an expression: a string, a number, a list, an object, or a part of a library."""

from __future__ import annotations

import re
from bisect import insort
from dataclasses import dataclass, field
from itertools import zip_longest
from operator import attrgetter
from typing import NamedTuple

from tree_sitter import Node

from engine.analysis import effects
from engine.analysis.syntax import Tree
from engine.common.text import Untrusted
from engine.models import Evidence

UNKNOWN = effects.UNKNOWN
"""Represents text that is known only at run time."""
MAX_TEXT = 65_536


@dataclass(slots=True, eq=False)
class JavaScriptScope:
    """Where names are declared: the whole program, a function, or a block."""

    parent: JavaScriptScope | None
    function: bool
    bindings: dict[str, Binding] = field(default_factory=dict)

    def find(self, name: str) -> Binding | None:
        """Return the binding of `name` that is seen from here."""
        scope: JavaScriptScope | None = self
        while scope is not None:
            binding = scope.bindings.get(name)
            if binding is not None:
                return binding
            scope = scope.parent
        return None

    def home(self) -> JavaScriptScope:
        """Return the scope that `var` declares in."""
        scope = self
        while not scope.function and scope.parent is not None:
            scope = scope.parent
        return scope


class Definition(NamedTuple):
    """One assignment to a name: the value, and which part of it (`const {exec: e} = …`)."""

    value: Node | None
    scope: JavaScriptScope
    operator: str
    position: int
    """From which byte on it holds."""
    part: tuple[str, ...] = ()


class AssignedStep(NamedTuple):
    """An assignment that a value came through: the name, and the bytes of what it was given."""

    tree: Tree
    name: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """The assignment for people, cut at 160 characters."""
        return f"{self.name} = {self.tree.slice(self.start, self.end)}"[:160]

    @property
    def evidence(self) -> Evidence:
        """The assignment with its position."""
        return Evidence(span=self.tree.span_of(self.start, self.end), text=Untrusted(self.text))


_position = attrgetter("position")


@dataclass(slots=True, eq=False)
class Binding:
    """A declared name."""

    kind: str
    """`variable`, `parameter`, `import`, `function` or `class`."""
    definitions: list[Definition] = field(default_factory=list)
    """In the order in which they take effect."""
    given: list[Definition] = field(default_factory=list)
    """For a parameter: what the calls in the program pass."""
    history: list[JavaScriptValue] = field(default_factory=list)
    """What the name is after each of the first definitions, as far as it was worked out."""
    path: str = ""
    """What an import refers to."""
    node: Node | None = None
    """The class that it is."""
    caller: Node | None = None
    """For a parameter: the call that receives the function."""
    caller_scope: JavaScriptScope | None = None

    def add(self, definition: Definition) -> None:
        """Put a definition at its place in the order."""
        insort(self.definitions, definition, key=_position)


class JavaScriptValue(NamedTuple):
    """What an expression is known to be."""

    kind: str = "unknown"
    """`text`, `number`, `list`, `map`, `object`, `function`, `path` or `unknown`."""
    text: str = ""
    path: str = ""
    """`child_process.exec`, `process.env.HOME`, `fetch()`; `?` is an unknown part."""
    items: tuple[JavaScriptValue, ...] = ()
    """The elements of a list, the pairs of a map, or the objects that an object was merged from."""
    taints: frozenset[str] = frozenset()
    """`env`, `file`, `network`, `decoded`, `host`, `parameter`."""
    origin: tuple[AssignedStep, ...] = ()
    node: Node | None = None
    scope: JavaScriptScope | None = None
    layers: tuple[str, ...] = ()
    """What was decoded to get the text."""

    @property
    def known(self) -> bool:
        """Whether the text is known in full."""
        return self.kind in {"text", "number"} and UNKNOWN not in self.text


NOTHING = JavaScriptValue()


def text(content: str, *sources: JavaScriptValue, layer: str = "") -> JavaScriptValue:
    """Return a known text that was made of `sources`; one that is too long is known to be decoded at most."""
    layers = tuple(dict.fromkeys(name for source in sources for name in source.layers))
    if len(content) > MAX_TEXT:
        return unknown(*sources, taint="decoded" if layer or layers else "")
    return JavaScriptValue(
        "text",
        content,
        taints=_taints(sources),
        origin=_origin(sources),
        layers=(*layers, layer) if layer else layers,
    )


def unknown(*sources: JavaScriptValue, path: str = "", taint: str = "") -> JavaScriptValue:
    """Return a value that is not known, but where it came from is."""
    taints = _taints(sources) | ({taint} if taint else set())
    return JavaScriptValue("path" if path else "unknown", path=path, taints=taints, origin=_origin(sources))


def any_of(values: list[JavaScriptValue], levels: int = 2) -> JavaScriptValue:
    """Return what is known of a value that is one of several: what may do most, and all taints.

    Lists are taken together element by element, in lists down to so many levels.
    """
    some = [value for value in values if value is not NOTHING]
    if not some:
        return NOTHING
    if levels and len(some) > 1 and all(value.kind == "list" for value in some):
        columns = zip_longest(*(value.items[:_MOST_COLUMNS] for value in some), fillvalue=NOTHING)
        items = tuple(any_of(list(column), levels - 1) for column in columns)
        return unknown(*some)._replace(kind="list", items=items)
    first = max(some, key=_weight)
    if len(values) == 1 or all(
        (one.kind, one.text) == (first.kind, first.text) for one in values if not first.path
    ):
        return first._replace(taints=_taints(tuple(some)))
    return unknown(*some, path=first.path)


_MOST_COLUMNS = 64
"""Elements of lists that are taken together."""
_GRAVE = ("child_process", "vm", "eval", "Function", "net", "fs", "https", "http")


def _weight(value: JavaScriptValue) -> int:
    """Return how much a value can do: parts of grave libraries before others, and those before data."""
    head = value.path.partition(".")[0]
    return 10 - _GRAVE.index(head) if head in _GRAVE else int(bool(value.path))


def _taints(sources: tuple[JavaScriptValue, ...]) -> frozenset[str]:
    return frozenset().union(*(source.taints for source in sources)) if sources else frozenset()


def _origin(sources: tuple[JavaScriptValue, ...]) -> tuple[AssignedStep, ...]:
    return tuple(dict.fromkeys(step for source in sources for step in source.origin))[:6]


_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|([0-7]{1,3})|(\r\n|.))", re.DOTALL
)

_SIMPLE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "0": "\0",
    "\n": "",
    "\r\n": "",
    "\r": "",
}


def unescaped(source: str) -> str:
    """Return the text of a string literal's inside."""
    return _ESCAPE.sub(_character, source) if "\\" in source else source


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        number = int(code, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    if match[4]:
        return chr(int(match[4], 8) & 0xFF)
    return _SIMPLE.get(match[5], match[5])
