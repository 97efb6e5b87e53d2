"""Checks of calls that are safe in some ways only."""

from __future__ import annotations

import ast
import string
from collections.abc import Callable, Mapping

from engine.analysis.verdict.python.attributes import (
    is_dunder,
    is_safe_attribute,
    leads_out,
    may_be_assigned,
)
from engine.analysis.verdict.python.exception_types import IMPORT_ERRORS

_FIELD_KEYWORDS = frozenset(
    {"init", "repr", "eq", "order", "unsafe_hash", "frozen", "match_args", "kw_only", "slots", "weakref_slot"}
)
_BARE = frozenset({"property", "functools.cached_property"})
"""Decorators that take no arguments."""
DECORATORS = _BARE | {"functools.wraps", "functools.lru_cache", "dataclasses.dataclass"}
"""Restricted functions that may decorate what the program defines."""

NAMED = frozenset({"collections.namedtuple", "typing.NewType", "typing.ParamSpec", "typing.TypeVar"})
"""What makes types whose names are their first argument."""


def check_call(path: str, call: ast.Call, safe: frozenset[str]) -> str | None:
    """Return why a direct call of a restricted function is not proven; None where it is."""
    if any(isinstance(arg, ast.Starred) for arg in call.args) or None in {word.arg for word in call.keywords}:
        return f"`{path}` gets arguments that this code does not spell out"
    check = _CHECKS.get(path)
    return check(call, safe) if check else f"`{path}` may only be a decorator"


def _attribute_by_name(call: ast.Call, safe: frozenset[str]) -> str | None:
    name = _text(call.args[1]) if len(call.args) > 1 else None
    if name is None:
        return "an attribute is named by a value"
    return None if is_safe_attribute(name, safe) else f"the attribute `{name}` is not on the list"


def _stored_by_name(call: ast.Call, safe: frozenset[str]) -> str | None:
    name = _text(call.args[1]) if len(call.args) > 1 else None
    if name is None or not may_be_assigned(name):
        return "an attribute is named by a value, or belongs to the interpreter"
    return None


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _property(call: ast.Call, safe: frozenset[str]) -> str | None:
    return "`property` with keywords" if call.keywords or len(call.args) > 3 else None


def _testmod(call: ast.Call, safe: frozenset[str]) -> str | None:
    known = {word.arg for word in call.keywords} <= {"verbose", "optionflags", "name"}
    return None if known and not call.args else "`testmod` with other arguments"


def _namespace(call: ast.Call, safe: frozenset[str]) -> str | None:
    """Refuse computed names: `copy` calls an attribute `__reduce_ex__`, and sets attributes that it names."""
    named = all(word.arg and not is_dunder(word.arg) for word in call.keywords)
    return None if named and not call.args else "`types.SimpleNamespace` with attributes of the interpreter"


def _deepcopy(call: ast.Call, safe: frozenset[str]) -> str | None:
    """Refuse a second argument, which would hold the namespaces of the objects that are copied."""
    alone = len(call.args) == 1 and not call.keywords
    return None if alone else "`deepcopy` keeps what it copies in its second argument"


def _import_error(call: ast.Call, safe: frozenset[str]) -> str | None:
    known = {word.arg for word in call.keywords} <= {"name", "path"}
    return None if known else "an `ImportError` with other arguments"


def _cached(call: ast.Call, safe: frozenset[str]) -> str | None:
    """Refuse `typed`: its keys have the types of arguments, which an own `__eq__` would be handed."""
    known = {word.arg for word in call.keywords} <= {"maxsize"}
    return None if known and len(call.args) < 2 else "`lru_cache` with other arguments"


def _split_address(call: ast.Call, safe: frozenset[str]) -> str | None:
    """Refuse further arguments: its cache is one by types, as that of `lru_cache(typed=True)`."""
    alone = len(call.args) == 1 and not call.keywords
    return None if alone else "the parts of an address, with other arguments"


def _named(call: ast.Call, safe: frozenset[str]) -> str | None:
    """Refuse computed names of functions and types: `copy` takes the attribute that a method is named by."""
    name = _text(call.args[0]) if call.args else None
    if (
        name is None
        or name.startswith("__")
        or leads_out(name)
        or any(word.arg == "module" for word in call.keywords)
    ):
        return "a type is named by a value"
    return None


def _type(call: ast.Call, safe: frozenset[str]) -> str | None:
    return "the type of a value is more than compared or printed"


_CHECKS: Mapping[str, Callable[[ast.Call, frozenset[str]], str | None]] = {
    "getattr": _attribute_by_name,
    "setattr": _stored_by_name,
    "delattr": _stored_by_name,
    "property": _property,
    **dict.fromkeys(IMPORT_ERRORS, _import_error),
    "copy.deepcopy": _deepcopy,
    "functools.lru_cache": _cached,
    **dict.fromkeys(("urllib.parse.urlparse", "urllib.parse.urlsplit"), _split_address),
    "doctest.testmod": _testmod,
    **dict.fromkeys(NAMED, _named),
    "type": _type,
    "types.SimpleNamespace": _namespace,
}


def check_decorator(path: str, call: ast.Call | None) -> str | None:
    """Return why a restricted decorator is not proven; `call` is None where it has no arguments."""
    if path not in DECORATORS:
        return f"`{path}` may not be a decorator"
    if path in _BARE:
        return None if call is None else f"`{path}` with arguments"
    if path == "functools.lru_cache":
        return check_call(path, call, frozenset()) if call else None
    if path == "functools.wraps":
        plain = call is not None and len(call.args) == 1 and not call.keywords
        return (
            None
            if plain and call and not isinstance(call.args[0], ast.Starred)
            else "`wraps` with other arguments"
        )
    words = {word.arg for word in call.keywords} if call else set()
    positional = call is not None and bool(call.args)
    return None if words <= _FIELD_KEYWORDS and not positional else "`dataclass` with other arguments"


def check_format(receiver: ast.expr) -> str | None:
    """Return why `receiver.format` is not proven: a field that takes attributes reaches into any object."""
    text = _text(receiver)
    if text is None:
        return "`format` of a text that is not written here"
    return None if _is_plain(text, 0) else "a field of the format takes an attribute"


def _is_plain(text: str, depth: int) -> bool:
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return False
    for _, name, spec, _ in parts:
        if name is not None and ("." in name or "[" in name):
            return False
        if spec and (depth > 2 or not _is_plain(spec, depth + 1)):
            return False
    return True
