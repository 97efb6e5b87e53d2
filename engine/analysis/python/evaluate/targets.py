"""Binds the targets of assignments, loops and patterns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from engine.analysis.python.evaluate import fold
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.names import HEAVY_MODULES, is_shared
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall
from engine.analysis.python.evaluate.values import NOTHING, PythonValue, harm, is_callable, taint_of
from engine.analysis.python.rules.execution import CODE_OBJECT
from engine.analysis.python.rules.objects import TAMPER

_DISPLAYS = (ast.Tuple, ast.List)


def bind(evaluator: Evaluator, target: ast.expr, value: PythonValue | None) -> None:
    """Give `target` the meaning of `value`."""
    kind = type(target)
    if kind is ast.Name:
        _bind_name(evaluator, target.id, value)  # type: ignore[attr-defined]
    elif isinstance(target, _DISPLAYS):
        _unpack(evaluator, target.elts, value)
    elif isinstance(target, ast.Attribute):
        _bind_attribute(evaluator, target, value)
    elif isinstance(target, ast.Subscript):
        _bind_item(evaluator, target, value)


def _bind_name(evaluator: Evaluator, name: str, value: PythonValue | None) -> None:
    """Give a name its meaning here, and where it is declared to belong to a scope outside."""
    scope = evaluator.scope
    scope.names[name] = value
    home = scope.homes.get(name) if scope.homes else None
    if home is not None and (is_callable(value) or not is_callable(home.names.get(name))):
        home.names[name] = value if is_callable(value) or (value is not None and value.taint) else None


def _unpack(evaluator: Evaluator, elements: list[ast.expr], value: PythonValue | None) -> None:
    for index, element in enumerate(elements):
        if isinstance(element, ast.Starred):
            after = len(elements) - index - 1
            bind(evaluator, element.value, _rest(value, index, after))
        else:
            bind(evaluator, element, item(value, index))


def _rest(value: PythonValue | None, start: int, after: int) -> PythonValue | None:
    """Return the elements of `value` from `start`, without the last ones; of others what is known of any."""
    if value is None or value.items is None:
        return value if value is not None and value.taint else None
    parts = list(value.items.values())
    found = PythonValue(taint=value.taint)
    found.items = dict(enumerate(parts[start : len(parts) - after]))
    return found


def item(value: PythonValue | None, key: Any) -> PythonValue | None:
    """Return what is known about `value[key]`."""
    if value is None:
        return None
    if value.items is not None:
        if key in value.items:
            return value.items[key]
    elif isinstance(value.const, fold.SEQUENCES) and isinstance(key, int):
        try:
            return PythonValue(value.const[key], taint=value.taint)
        except IndexError:
            return None
    return element(value)


def element(value: PythonValue | None) -> PythonValue | None:
    """Return what is known about any one element of `value`."""
    if value is None:
        return None
    taint = taint_of(value)
    if value.name and not value.known and not (value.name == "endless" and value.items):
        found = PythonValue(name=f"{value.name}[]", taint=taint)
        found.trail = value.trail
        return found
    if value.items:
        return _most_telling(value.items.values())
    if isinstance(value.const, list | tuple) and value.const and isinstance(value.const[0], str):
        return PythonValue(max(value.const, key=_telling), taint=taint)
    if not taint:
        return None
    found = PythonValue(taint=taint)
    found.trail = value.trail
    return found


def elements(value: PythonValue | None) -> list[PythonValue | None]:
    """Return what each of the first elements of `value` is, the most telling one first."""
    first = element(value)
    if value is None or (value.name and not value.known):
        return [first]
    if value.items and not is_partial(value):
        others = [entry for entry in value.items.values() if entry is not None and entry is not first]
    elif isinstance(value.const, list | tuple) and first is not None:
        others = [PythonValue(part, taint=value.taint) for part in value.const if part is not first.const]
    else:
        others = []
    return [first, *others[: _MAX_TURNS - 1]]


_MAX_TURNS = 16


def is_partial(value: PythonValue) -> bool:
    """Whether what is known of a value are not its elements."""
    return bool(value.items) and (value.items or {}).keys() <= _FACTS


_FACTS = frozenset(("pattern", "turns"))
"""Keys of what is known of a value beside its elements."""


def parts_of(sequence: PythonValue | None) -> list[PythonValue | None]:
    """Return the elements of a sequence, as far as they are known."""
    if sequence is None:
        return []
    if sequence.items:
        return list(sequence.items.values())[:1024]
    const: Any = sequence.const
    if isinstance(const, fold.SEQUENCES):
        return [PythonValue(part, taint=sequence.taint) for part in const[:1024]]
    return []


def _most_telling(entries: Iterable[PythonValue | None]) -> PythonValue | None:
    some = [entry for entry in entries if entry is not None]
    named = [entry for entry in some if entry.name or entry.taint or entry.function or entry.fields]
    named = named or sorted((entry for entry in some if entry.items), key=is_callable, reverse=True)
    known = [entry for entry in some if entry.known]
    return max(named, key=harm) if named else next(iter(known), None)


def _telling(entry: object) -> int:
    """Of several texts the one most relevant to the rules: an absolute path, a home, a command."""
    return 2 * str(entry).startswith(("/", "~", "C:")) + (" " in str(entry)) if isinstance(entry, str) else -1


def entered(value: PythonValue | None) -> PythonValue | None:
    """Return what `with value as x` binds: of a generator that is a context manager, what it yields."""
    return element(value) if value is not None and value.items and not value.name else value


def _bind_attribute(evaluator: Evaluator, target: ast.Attribute, value: PythonValue | None) -> None:
    owner = evaluator.evaluate(target.value)
    if owner is not None:
        set_attribute(owner, target.attr, value)
    if owner is not None and owner.owner is None and owner.name:
        _bind_foreign(evaluator, target, owner.name)
        if is_callable(value):
            evaluator.patched[f"{owner.name}.{target.attr}"] = value
    if target.attr == "__code__":
        evaluator.report(CODE_OBJECT, target, "Replaces the code of a function")
    if value is not None and target.attr in _VERDICTS and value.const == _VERDICTS[target.attr]:
        evaluator.report(TAMPER, target, f"Sets `{target.attr}` of a test, whatever the test found")


def set_attribute(owner: PythonValue, name: str, value: PythonValue | None) -> None:
    """Give an object of the code an attribute; an object of its class that is not known may have it too."""
    if owner.fields is not None:
        owner.fields[name] = value
    elif owner.function is not None:
        owner.fields = {name: value}
    if owner.owner is None:
        return
    if value is not None or not is_callable(owner.owner.attributes.get(name)):
        owner.owner.attributes[name] = value


_VERDICTS = {"outcome": "passed", "exitstatus": 0}
"""What the hooks of test runners set where tests shall pass."""


JUDGES = re.compile(
    r"^(?:time\.(?:time|monotonic|perf_counter|process_time|sleep|time_ns)|datetime\.(?:datetime|date)(?:\.\w+)?"
    r"|json\.(?:loads?|dumps?)|math\.isclose|random\.\w+|hmac\.compare_digest|hashlib\.\w+|secrets\.\w+"
    r"|unittest\.(?:\w+\.)*(?:assert\w+|fail\w*|run|main|debug)|pytest\.(?:raises|approx|fail|main|skip)"
    r"|numpy\.(?:allclose|isclose|array_equal|array_equiv|testing\.\w+)|pandas\.testing\.\w+|doctest\.\w+)$"
)
"""What clocks, assertions, comparisons and results rest on."""
_OPEN = frozenset(("stdout", "stderr", "stdin", "argv", "path", "excepthook", "displayhook", "ps1", "ps2"))


def _bind_foreign(evaluator: Evaluator, target: ast.Attribute, owner: str) -> None:
    evaluator.relevant += 1
    if (owner in HEAVY_MODULES and target.attr not in _OPEN) or JUDGES.match(f"{owner}.{target.attr}"):
        evaluator.report(TAMPER, target, f"Replaces `{owner}.{target.attr}` for all code")


def _bind_item(evaluator: Evaluator, target: ast.Subscript, value: PythonValue | None) -> None:
    container = evaluator.evaluate(target.value)
    key = evaluator.evaluate(target.slice)
    if container is None:
        return
    if container.name in ("os.environ", "sys.modules"):
        name = f"{container.name}.__setitem__"
        CALLS[name](evaluator, PythonCall(target, name, [key, value], {}))
    if value is not None and value.taint and not is_shared(container):
        container.taint |= value.taint
    if container.name == "builtins.globals()" and key is not None and isinstance(key.const, str):
        evaluator.scope.module().names[key.const] = value
    if container.items is not None:
        named = key is not None and isinstance(key.const, str | int)
        container.items[key.const if named else ("any", len(container.items))] = value  # type: ignore[union-attr]
        container.const = NOTHING
