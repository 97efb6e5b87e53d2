"""Evaluates attributes and items of named values: modules, namespaces, gadgets."""

from __future__ import annotations

import ast

from engine.analysis.python import gadgets
from engine.analysis.python.evaluate import functions, lookups
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.names import BUILTINS, HEAVY_MODULES, canonical
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall
from engine.analysis.python.evaluate.values import DANGEROUS_CALLBACKS, PythonValue, text_of
from engine.analysis.python.rules import execution
from engine.models import Level

NAMESPACES = frozenset(("builtins.globals()", "builtins.locals()", "builtins.vars()"))


def attribute(evaluator: Evaluator, node: ast.Attribute) -> PythonValue | None:
    """Return what `node` means, and report what only an escape needs."""
    base = evaluator.evaluate(node.value)
    found = member(evaluator, node, base, node.attr)
    if found is not None and found.name in lookups.LOOSE:
        lookups.report_if_passed(evaluator, node, found)
    return found


def member(evaluator: Evaluator, node: ast.AST, base: PythonValue | None, name: str) -> PythonValue | None:
    """Return what `base.name` means."""
    if name[:2] == "__" or name in gadgets.PLAIN_NAMES:
        gadgets.check(evaluator, node, base, name)
    if base is None:
        return None
    if name == "__call__" and (base.function is not None or base.name):
        return base
    if base.fields is not None or base.owner is not None:
        found, known = _of_object(evaluator, base, name)
        if known:
            return found
    if base.name:
        return _of_name(evaluator, node, base, name)
    if base.taint:
        value = PythonValue(taint=base.taint)
        value.trail = base.trail
        return value
    return None


def _of_name(evaluator: Evaluator, node: ast.AST, base: PythonValue, name: str) -> PythonValue | None:
    qualified = _qualified(base.name or "", name)
    if qualified in evaluator.patched:
        return evaluator.patched[qualified]
    if qualified == name and qualified in _BORROWED:
        evaluator.report(execution.INDIRECT_NAME, node, f"Reaches `{name}` through `{base.name}`")
    return _named(base, qualified)


def _of_object(evaluator: Evaluator, base: PythonValue, name: str) -> tuple[PythonValue | None, bool]:
    """Return an attribute of an object or class of the code, and whether it has one."""
    if base.fields is not None and name in base.fields:
        return base.fields[name], True
    if base.fields is not None and name == "__dict__":
        return of_fields(base.fields), True
    if base.owner is not None and name in base.owner.attributes:
        return _of_class(evaluator, base, base.owner.attributes[name]), True
    return None, False


def of_fields(fields: dict[str, PythonValue | None]) -> PythonValue:
    """Return the dictionary of an object's attributes; what is put into it, the object has."""
    value = PythonValue()
    value.items = fields
    return value


def _of_class(evaluator: Evaluator, base: PythonValue, found: PythonValue | None) -> PythonValue | None:
    """Return an attribute of the class of `base`: what a property gives, or a method of this object."""
    if found is None or found.function is None:
        return found
    receiver = base if base.fields is not None else None
    given = functions.property_value(evaluator, found.function, receiver)
    if given is not None or receiver is None or not found.function.bound:
        return given or found
    method = found.copy()
    method.receiver = receiver
    return method


_BORROWED = HEAVY_MODULES - {"posix", "nt"}


def _qualified(base: str, name: str) -> str:
    if name == "__dict__":
        return f"{base}.__dict__"
    if name == "__self__" and base.startswith("builtins.") and "(" not in base:
        return "builtins"
    return canonical(f"{base}.{name}")


def _named(base: PythonValue, name: str) -> PythonValue:
    value = PythonValue(name=name, taint=base.taint)
    value.trail, value.built, value.layers = base.trail, base.built, base.layers
    if base.known and name.startswith("pathlib."):
        value.const = base.const
    return value


def lookup_key(
    evaluator: Evaluator, node: ast.expr, base: PythonValue, key: PythonValue | None
) -> PythonValue | None:
    """Return what `base[key]` means where `base` has a name: a namespace gives what it holds."""
    name = base.name or ""
    text = text_of(key)
    namespace = name in NAMESPACES or name.endswith(".__dict__") or name in ("sys.modules", "builtins")
    if not namespace:
        return _item(evaluator, node, base, key)
    evaluator.relevant += 1
    if text is None:
        innocent = name in NAMESPACES or name == "sys.modules"
        evaluator.report(
            execution.HIDDEN_NAME,
            node,
            f"Looks up a name that is known only at run time in {base.name}",
            severity=Level.LOW if innocent else None,
            value=key,
        )
        return PythonValue(name=f"{name}[?]")
    found = _from_namespace(evaluator, name, text)
    if found is not None:
        found = found.copy()
        found.built = True
        check_built(evaluator, node, found, key)
    return found


def _item(
    evaluator: Evaluator, node: ast.expr, base: PythonValue, key: PythonValue | None
) -> PythonValue | None:
    if base.name == "os.environ":
        read = CALLS["os.environ.__getitem__"]
        return read(evaluator, PythonCall(node, "os.environ.__getitem__", [key], {}))
    if (
        base.items is not None
        and key is not None
        and isinstance(key.const, str | int)
        and key.const in base.items
    ):
        return base.items[key.const]
    value = PythonValue(name=f"{base.name}[]", taint=base.taint)
    value.trail = base.trail
    return value


def _from_namespace(evaluator: Evaluator, namespace: str, name: str) -> PythonValue | None:
    if namespace == "sys.modules":
        return PythonValue(name=canonical(name))
    if namespace in NAMESPACES:
        return evaluator.scope.lookup(name)
    owner = namespace.removesuffix(".__dict__")
    if owner == "builtins":
        return BUILTINS.get(name) or PythonValue(name=f"builtins.{name}")
    return PythonValue(name=canonical(f"{owner}.{name}"))


def check_built(evaluator: Evaluator, node: ast.AST, found: PythonValue, key: PythonValue | None) -> None:
    """Report a dangerous function whose name was assembled, or that was reached indirectly."""
    head, _, rest = (found.name or "").partition(".")
    if not found.name or (
        head not in HEAVY_MODULES and not (head == "builtins" and rest in _DANGEROUS_BUILTINS)
    ):
        return
    if key is not None and (key.built or key.layers):
        evaluator.report(
            execution.HIDDEN_NAME, node, f"The name of {found.name} is assembled from parts", value=key
        )
    else:
        level = Level.HIGH if found.name in DANGEROUS_CALLBACKS else None
        message = f"Reaches {found.name} indirectly"
        evaluator.report(execution.INDIRECT_NAME, node, message, severity=level, value=found)


_DANGEROUS_BUILTINS = frozenset(
    ("eval", "exec", "compile", "open", "__import__", "getattr", "globals", "breakpoint", "input", "execfile")
)


def check_formatted(evaluator: Evaluator, node: ast.expr) -> None:
    """Report an f-string that prints `{x.__class__}` of a foreign thing: so format strings probe."""
    if isinstance(node, ast.Attribute) and node.attr == "__class__":
        value = evaluator.evaluate(node.value)
        if value is None or value.owner is None:
            gadgets.probed(evaluator, node)
