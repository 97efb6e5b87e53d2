"""What is known about an expression: a constant, a qualified name, and the origin of its content."""

from __future__ import annotations

import ast
from enum import IntFlag
from typing import Any, Final


class _Nothing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final[Any] = _Nothing()
"""No constant is known. (None is a constant.)"""


class Taint(IntFlag):
    """Where the content of a value came from."""

    ENVIRONMENT = 1
    SECRET = 2
    FILE = 4
    NETWORK = 8
    INPUT = 16
    SYSTEM = 32
    DECODED = 64
    SENSITIVE = 128
    SCREEN = 256
    SOCKET = 512
    ENCODED = 1024


DANGEROUS_CALLBACKS: Final[set[str]] = set()
"""Functions that count as called when they are passed as an argument."""

PRIVATE: Final = Taint.ENVIRONMENT | Taint.SECRET | Taint.SENSITIVE | Taint.SYSTEM | Taint.SCREEN
"""What must not leave the machine."""
FOREIGN: Final = Taint.NETWORK | Taint.INPUT | Taint.SOCKET
"""Content that an outside party controls."""

_TAINT_WORDS = {
    Taint.ENVIRONMENT: "the environment",
    Taint.SECRET: "a secret",
    Taint.FILE: "a file",
    Taint.NETWORK: "the network",
    Taint.INPUT: "the user's input",
    Taint.SYSTEM: "facts about the machine",
    Taint.SENSITIVE: "a sensitive file",
    Taint.SCREEN: "the screen or clipboard",
    Taint.SOCKET: "a socket",
}


def taint_words(taint: int) -> str:
    """Return in words where tainted content came from."""
    return " and ".join(word for flag, word in _TAINT_WORDS.items() if taint & flag)


class PythonValue:
    """What is known about one expression. A value that nothing is known about is None instead."""

    __slots__ = (
        "built",
        "const",
        "fields",
        "function",
        "items",
        "layers",
        "name",
        "node",
        "owner",
        "receiver",
        "taint",
        "trail",
    )

    def __init__(self, const: Any = NOTHING, name: str | None = None, *, taint: int = 0) -> None:
        self.const = const
        """The constant; for a path object, its path."""
        self.name = name
        """The qualified name: `os.system`; `socket.socket()` is what calling `socket.socket` gives."""
        self.taint = taint
        self.items: dict[Any, PythonValue | None] | None = None
        """The elements of a list, tuple or dictionary display, by index or key."""
        self.layers: tuple[str, ...] = ()
        """The encodings that were decoded, outermost first."""
        self.function: Any = None
        """The `PythonFunction` that it is, where it is one of the code's own."""
        self.owner: Any = None
        """The `PythonClass` that it is, or is an instance of."""
        self.fields: dict[str, PythonValue | None] | None = None
        """The attributes of this very object; None where it is not known which object it is."""
        self.receiver: PythonValue | None = None
        """The object that it is a method of."""
        self.node: ast.expr | None = None
        """The literal that it comes from unchanged."""
        self.trail: tuple[ast.AST, ...] = ()
        """The statements that it came through."""
        self.built = False
        """Whether a constant was put together from pieces."""

    @classmethod
    def holding(cls, items: dict[Any, PythonValue | None], taint: int = 0) -> PythonValue:
        """Return a container of `items`, of which no constant is known."""
        value = cls(taint=taint)
        value.items = items
        return value

    @property
    def known(self) -> bool:
        """Whether it is a constant."""
        return self.const is not NOTHING

    def copy(self) -> PythonValue:
        """Return a copy of the value."""
        other = PythonValue(self.const, self.name, taint=self.taint)
        other.items, other.layers, other.function = self.items, self.layers, self.function
        other.node, other.trail, other.built, other.owner = self.node, self.trail, self.built, self.owner
        other.fields, other.receiver = self.fields, self.receiver
        return other

    def through(self, node: ast.AST) -> PythonValue:
        """Return the value as it is after `node`, one step further on its trail."""
        other = self.copy()
        if len(self.trail) < _MAX_TRAIL:
            other.trail = (*self.trail, node)
        return other


_MAX_TRAIL = 6


def is_callable(value: PythonValue | None) -> bool:
    """Whether a value is a function, a class, a module or an object of the code, or holds one."""
    if value is None:
        return False
    if value.function is not None or value.owner is not None or value.fields is not None:
        return True
    if value.name:
        return value.name[-1] not in ")]"
    return value.items is not None and any(
        entry is not None and (entry.function is not None or (entry.name or ")")[-1] not in ")]")
        for entry in list(value.items.values())[:_LOOKED_AT]
    )


_LOOKED_AT = 64


def text_of(value: PythonValue | None) -> str | None:
    """Return the constant text of a value, bytes as UTF-8, or None."""
    if value is None:
        return None
    const = value.const
    if isinstance(const, str):
        return const
    if isinstance(const, bytes | bytearray):
        return bytes(const).decode("utf-8", "replace")
    return None


def taint_of(*values: PythonValue | None) -> int:
    """Return all taints of several values and of their elements."""
    taint = 0
    for value in values:
        if value is not None:
            taint |= value.taint
            if value.items:
                for item in list(value.items.values())[:64]:
                    if item is not None:
                        taint |= item.taint
    return taint


def derived(const: Any, *parents: PythonValue | None) -> PythonValue | None:
    """Return the constant made from `parents`, with what is known of them; None where nothing is."""
    taint = taint_of(*parents)
    if const is NOTHING and not taint:
        return None
    value = PythonValue(const, taint=taint)
    value.built = True
    for parent in parents:
        if parent is not None:
            value.layers = value.layers or parent.layers
            value.trail = value.trail or parent.trail
    return value


def harm(value: PythonValue) -> int:
    """Return how much a value can do: 2 for what runs code or programs, 1 for any other function."""
    if value.name in DANGEROUS_CALLBACKS:
        return 2
    return 1 if value.name or value.function is not None else 0


def either(first: PythonValue | None, second: PythonValue | None) -> PythonValue | None:
    """Return what is known where a value is one of two: the one that could do more harm."""
    if first is None or second is None:
        return first or second
    if harm(second) > harm(first):
        first, second = second, first
    if first.name == "endless" and first.items is None and second.items is not None:
        first = first.copy()
        first.items = second.items
    if second.taint & ~first.taint:
        first = first.copy()
        first.taint |= second.taint
    return first
