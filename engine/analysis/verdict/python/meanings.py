"""What a name or a dotted path of a program can mean."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from enum import Enum, auto

from engine.analysis.verdict.python.attributes import READABLE
from engine.analysis.verdict.python.library import BUILTINS, MODULES
from engine.analysis.verdict.python.safe_module import SafeModule
from engine.analysis.verdict.python.scopes import BindingKind, NameBinding, NameScope, Scopes

_BUILTIN_NAMES = frozenset(dir(builtins)) | {
    "copyright",
    "credits",
    "help",
    "license",
    "PythonFinalizationError",
}
REFUSED_BUILTINS = frozenset({"dict", "divmod", "pow", "slice"})
"""Built-ins that are not proven beside pandas."""
PARENTS = frozenset(path.rpartition(".")[0] for path in MODULES if "." in path)


class Use(Enum):
    """How a name may be used."""

    VALUE = auto()
    """In any way."""
    CALL = auto()
    """Called directly, in the ways that are checked."""
    TYPE = auto()
    """As an annotation and the second argument of `isinstance`."""
    MODULE = auto()
    """Before a dot."""
    UNKNOWN = auto()
    """Not at all."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name means; `path` is the full name of what the library defines."""

    use: Use
    path: str = ""
    reason: str = ""


OWN = Meaning(Use.VALUE)


def unknown(reason: str) -> Meaning:
    """Return the meaning of what is not proven."""
    return Meaning(Use.UNKNOWN, reason=reason)


def member(module: str, name: str) -> Meaning:
    """Return what a name of a module means."""
    return _member(BUILTINS if module == "builtins" else MODULES.get(module), module, name)


def _member(safe: SafeModule | None, module: str, name: str) -> Meaning:
    shown = name if module == "builtins" else f"{module}.{name}"
    if safe is None:
        return unknown(f"the module `{module}` is not on the list")
    if name in safe.values:
        return Meaning(Use.VALUE, shown)
    if name in safe.types:
        return Meaning(Use.TYPE, shown)
    if name in safe.calls:
        return Meaning(Use.CALL, shown)
    return unknown(f"`{shown}` is not on the list")


class Meanings:
    """The meanings of all names of a program."""

    def __init__(self, scopes: Scopes, *, has_pandas: bool) -> None:
        self._scopes = scopes
        self._has_pandas = has_pandas
        self.known: dict[tuple[str, NameScope], Meaning] = {}
        """The meanings that were asked for so far, by name and by the scope in which it is read."""

    def of_name(self, name: str, scope: NameScope) -> Meaning:
        """Return what a name means where it is read."""
        key = (name, scope)
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self._of_name(name, scope)
        return known

    def _of_name(self, name: str, scope: NameScope) -> Meaning:
        if name.startswith("__"):
            return OWN if name in READABLE else unknown(f"`{name}` belongs to the interpreter")
        bindings, may_be_builtin = self._scopes.resolve(name, scope)
        found = [_of_binding(binding) for binding in bindings]
        if may_be_builtin and name in _BUILTIN_NAMES:
            found.append(member("builtins", name))
        if len(found) == 1:
            return found[0]
        hidden = self._has_pandas and any(_has_rules(meaning.path) for meaning in found)
        return _joined(name, set(found), hidden=hidden)

    def of_path(self, node: ast.expr, scope: NameScope) -> tuple[Meaning, tuple[str, ...]]:
        """Return what the longest known part of a dotted path means, and the attributes behind it."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return OWN, tuple(attributes)
        meaning = self.of_name(node.id, scope)
        while meaning.use is Use.MODULE and attributes:
            meaning = _below(meaning.path, attributes.pop(0))
        return meaning, tuple(attributes)

    def of_entry(self, node: ast.expr, scope: NameScope) -> Meaning:
        """Return what an expression means where it is a name or a path and nothing more, else `OWN`."""
        if isinstance(node, ast.Name):
            return self.of_name(node.id, scope)
        if not isinstance(node, ast.Attribute):
            return OWN
        meaning, rest = self.of_path(node, scope)
        return OWN if rest else meaning


def _below(module: str, name: str) -> Meaning:
    path = f"{module}.{name}"
    if path in MODULES or path in PARENTS:
        return Meaning(Use.MODULE, path)
    return member(module, name)


def _of_binding(binding: NameBinding) -> Meaning:
    match binding.kind:
        case BindingKind.VALUE | BindingKind.FUNCTION:
            return OWN
        case BindingKind.MODULE:
            return Meaning(Use.MODULE, binding.path)
    module, _, name = binding.path.rpartition(".")
    return _below(module, name)


def _has_rules(path: str) -> bool:
    """Return whether rules beside pandas are about what the library defines: another meaning hides it."""
    return "." in path or path in REFUSED_BUILTINS


def _joined(name: str, found: set[Meaning], *, hidden: bool) -> Meaning:
    """Return the one meaning of a name with several ones, which rules may not know if it is `hidden`."""
    unknowns = [meaning for meaning in found if meaning.use is Use.UNKNOWN]
    if unknowns:
        return min(unknowns, key=lambda meaning: meaning.reason)
    if len(found) == 1:
        return next(iter(found))
    if not found:
        return unknown(f"`{name}` is not defined in this code")
    if all(meaning.use is Use.VALUE for meaning in found) and not hidden:
        return OWN
    return unknown(f"`{name}` may be one of several things")
