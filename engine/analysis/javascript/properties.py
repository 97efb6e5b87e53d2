"""Evaluates properties: elements of literals and parts of libraries."""

from __future__ import annotations

from engine.analysis.javascript import calling
from engine.analysis.javascript.library import FAMILIAR, GLOBALS, shortened, taints_of
from engine.analysis.javascript.linking import EACH, REST
from engine.analysis.javascript.values import NOTHING, JavaScriptValue, any_of, text

_DESCRIBED = f"{calling.DESCRIPTOR}.value"


def element(target: JavaScriptValue, name: str) -> JavaScriptValue | None:
    """Return an element of a list or text, or the length of a text; None for anything else."""
    if name == EACH:
        return any_of(list(target.items)) if target.kind == "list" else NOTHING
    if name.endswith(REST):
        start = int(name.removesuffix(REST))
        return target._replace(items=target.items[start:]) if target.kind == "list" else NOTHING
    if target.kind == "list" and name.isdigit():
        return target.items[int(name)] if int(name) < len(target.items) else NOTHING
    if target.kind == "text" and name.isdigit() and target.known:
        return text(target.text[int(name) : int(name) + 1], target)
    if name == "length" and target.known:
        return JavaScriptValue("number", str(len(target.text)))
    return None


def member(target: JavaScriptValue, name: str) -> JavaScriptValue:
    """Return the part of a library, or of nothing known, that `target.name` is."""
    if target.kind == "function" and name == "constructor":
        return JavaScriptValue("path", path="Function.prototype.constructor", origin=target.origin)
    if _is_global(target.path, name):
        return JavaScriptValue("path", path="globalThis" if name in GLOBALS else name, origin=target.origin)
    base = target.path or "?"
    path = shortened(base if name == "default" else f"{base}.{name}")
    path = path.replace(_DESCRIBED, "")
    kind = "unknown" if base == "?" and target.kind == "unknown" else "path"
    return JavaScriptValue(kind, path=path, taints=target.taints | taints_of(path), origin=target.origin)


def _is_global(path: str, name: str) -> bool:
    return name != "?" and (path == "globalThis" or (path == "this" and name in FAMILIAR))
