"""Definitions of functions and classes: names bound, decorators called, class bodies read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.python.evaluate import hooks
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.scopes import PythonClass, PythonFunction, PythonScope
from engine.analysis.python.evaluate.values import PythonValue, is_callable
from engine.analysis.python.parse.child_nodes import breadth_first
from engine.models import Language

_Def = ast.FunctionDef | ast.AsyncFunctionDef


def read_function(evaluator: Evaluator, node: _Def) -> None:
    """Bind a function's name; its body waits until it is called or the module ends."""
    function = PythonFunction(node, evaluator.scope, evaluator.scope.owner)
    decorators = _decorators(node)
    function.bound = function.owner is not None and "staticmethod" not in decorators
    function.of_class = "classmethod" in decorators
    read_defaults(evaluator, function)
    _read_annotations(evaluator, node)
    value = PythonValue()
    value.function = function
    evaluator.pending.append(function)
    evaluator.functions.append(function)
    for decorator in reversed(node.decorator_list):
        value = hooks.decorated(evaluator, decorator, value) or value
    evaluator.scope.names[node.name] = value
    if evaluator.scope.owner is not None:
        evaluator.scope.owner.attributes[node.name] = value


def _decorators(node: _Def) -> set[str]:
    return {part.id for part in node.decorator_list if isinstance(part, ast.Name)}


def read_defaults(evaluator: Evaluator, function: PythonFunction) -> None:
    """Look into the defaults of parameters, where they are more than constants."""
    args = function.node.args
    if not args.defaults and not args.kw_defaults:
        return
    names = [*args.posonlyargs, *args.args][len(args.posonlyargs) + len(args.args) - len(args.defaults) :]
    pairs = [*zip(names, args.defaults, strict=True), *zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    for arg, default in pairs:
        value = (
            evaluator.evaluate(default) if default is not None and type(default) is not ast.Constant else None
        )
        if value is not None and not value.known:
            function.defaults[arg.arg] = value


_PLAIN = (ast.Name, ast.Constant, ast.Attribute)


def _read_annotations(evaluator: Evaluator, node: _Def) -> None:
    """Look into annotations that compute something: they run with the definition."""
    args = node.args
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg is not None and arg.annotation is not None:
            read_annotation(evaluator, arg.annotation)
    if node.returns is not None:
        read_annotation(evaluator, node.returns)


def read_annotation(evaluator: Evaluator, node: ast.expr) -> None:
    """Look into an annotation that computes something, and into the code of one that is text.

    `typing.get_type_hints`, `inspect.signature`, `functools.singledispatch` and many libraries evaluate it.
    """
    if isinstance(node, ast.Name):
        return
    if _computes(node):
        evaluator.evaluate(node)
    for part in breadth_first(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and "(" in part.value:
            evaluator.embed(part.value, Language.PYTHON, part, None, "annotation")


def _computes(node: ast.expr) -> bool:
    """Whether an annotation is more than names: `list[int] | None` is not."""
    kind = type(node)
    if kind in _PLAIN:
        return False
    if isinstance(node, ast.Subscript):
        return _computes(node.value) or _computes(node.slice)
    if isinstance(node, ast.Tuple):
        return any(_computes(part) for part in node.elts)
    return not isinstance(node, ast.BinOp) or _computes(node.left) or _computes(node.right)


def read_class(evaluator: Evaluator, node: ast.ClassDef) -> None:
    """Read a class body now, and its methods when they are called or the module ends."""
    bases = [evaluator.evaluate(base) for base in node.bases]
    for keyword in node.keywords:
        evaluator.evaluate(keyword.value)
    names = tuple(base.name or "" for base in bases if base is not None)
    owner = PythonClass(node.name, names)
    for base in bases:
        if base is not None and base.owner is not None:
            owner.attributes.update(base.owner.attributes)
            owner.declared += base.owner.declared
            owner.parents += (base.owner,)
    owner.declared += tuple(_fields(node))
    value = PythonValue()
    value.owner = owner
    outer = evaluator.scope
    evaluator.scope = PythonScope(outer, owner)
    evaluator.run(node.body)
    owner.attributes.update(evaluator.scope.names)
    if any(name.startswith("enum.") for name in names):
        owner.attributes.update(_members(owner))
    evaluator.scope = outer
    for decorator in node.decorator_list:
        hooks.decorated(evaluator, decorator, value)
    outer.names[node.name] = value
    hooks.class_defined(evaluator, node, owner)


def _members(owner: PythonClass) -> Iterator[tuple[str, PythonValue | None]]:
    """Yield the members of an enumeration, each with its value."""
    for name, value in owner.attributes.items():
        if is_callable(value) and (value is None or value.function is None):
            member = PythonValue()
            member.owner, member.fields = owner, {"value": value}
            yield name, member


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """Yield the fields that a data class or a named tuple declares."""
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id
