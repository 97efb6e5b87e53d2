"""Checks of calls that are safe in some ways only."""

from __future__ import annotations

import ast
import string
from collections.abc import Callable, Mapping

from engine.analysis.verdict.python.exception_types import IMPORT_ERRORS, NAME_ERRORS

RUN_FACTORIES = frozenset({"bytearray", "collections.ChainMap"})
"""Where the factory of a `defaultdict` may run: `%` with a `bytearray` then reads what it freed."""
DICTIONARIES = frozenset({"dict", "Dict", "Counter", "defaultdict"})
"""Classes with methods of `dict`, which change an `OrderedDict` without its order."""


def check_call(path: str, call: ast.Call) -> str | None:
    """Return why a direct call of a restricted function is not proven; None where it is."""
    if any(isinstance(arg, ast.Starred) for arg in call.args) or None in {word.arg for word in call.keywords}:
        return f"`{path}` gets arguments that this code does not spell out"
    check = _CHECKS.get(path)
    return check(call) if check else f"`{path}` may only be a decorator"


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _testmod(call: ast.Call) -> str | None:
    known = {word.arg for word in call.keywords} <= {"verbose", "optionflags", "name"}
    return None if known and not call.args else "`testmod` with other arguments"


def _deepcopy(call: ast.Call) -> str | None:
    """Refuse a second argument, which would hold the namespaces of the objects that are copied."""
    alone = len(call.args) == 1 and not call.keywords
    return None if alone else "`deepcopy` keeps what it copies in its second argument"


def _import_error(call: ast.Call) -> str | None:
    known = {word.arg for word in call.keywords} <= {"name", "path"}
    return None if known else "an `ImportError` with other arguments"


def _name_error(call: ast.Call) -> str | None:
    return "a `NameError` with a name" if call.keywords else None


def _cached(call: ast.Call) -> str | None:
    """Refuse other arguments, such as `typed`, by which the types of values are kept."""
    known = {word.arg for word in call.keywords} <= {"maxsize"}
    return None if known and len(call.args) < 2 else "`lru_cache` with other arguments"


def _split_address(call: ast.Call) -> str | None:
    """Refuse further arguments."""
    alone = len(call.args) == 1 and not call.keywords
    return None if alone else "the parts of an address, with other arguments"


def _iter(call: ast.Call) -> str | None:
    """Refuse a function that is called until it returns a value: C code frees it while it runs."""
    alone = len(call.args) == 1 and not call.keywords
    return None if alone else "`iter` of a function"


def _cycle(call: ast.Call) -> str | None:
    """Take only what is iterated without calling the program, for C code frees an iterator while it runs."""
    plain = len(call.args) == 1 and isinstance(call.args[0], ast.Constant | ast.List | ast.Tuple)
    return None if plain else "`cycle` of what is not spelled out"


def _dumps(call: ast.Call) -> str | None:
    """Refuse `check_circular`: without it, C code does not keep what it encodes while it calls `default`."""
    return None if {word.arg for word in call.keywords} <= _JSON else "`json.dumps` with other arguments"


def _type(call: ast.Call) -> str | None:
    return "the type of a value is more than compared or printed"


_JSON = frozenset({"allow_nan", "default", "ensure_ascii", "indent", "separators", "skipkeys", "sort_keys"})
_CHECKS: Mapping[str, Callable[[ast.Call], str | None]] = {
    **dict.fromkeys(IMPORT_ERRORS, _import_error),
    **dict.fromkeys(NAME_ERRORS, _name_error),
    **dict.fromkeys(("collections.OrderedDict", *RUN_FACTORIES), lambda _: None),
    "iter": _iter,
    "itertools.cycle": _cycle,
    **dict.fromkeys(("json.dump", "json.dumps"), _dumps),
    "copy.deepcopy": _deepcopy,
    "functools.lru_cache": _cached,
    **dict.fromkeys(("urllib.parse.urlparse", "urllib.parse.urlsplit"), _split_address),
    "doctest.testmod": _testmod,
    "type": _type,
}


def check_decorator(path: str, call: ast.Call | None) -> str | None:
    """Return why a restricted decorator is not proven; `call` is None where it has no arguments."""
    if path == "numpy.vectorize" and call is None:
        return None
    if path != "functools.lru_cache":
        return f"`{path}` may not be a decorator"
    return check_call(path, call) if call else None


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
