"""What the parameters of a function of the code are bound to."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis.python.evaluate.scopes import PythonFunction
from engine.analysis.python.evaluate.values import PythonValue

_Values = list[PythonValue | None]
_Named = dict[str, PythonValue | None]


def unknown(function: PythonFunction) -> Iterator[tuple[str, PythonValue | None]]:
    """Yield every parameter of a function of whose call nothing is known."""
    args = function.node.args
    for index, arg in enumerate((*args.posonlyargs, *args.args)):
        first = index == 0 and function.bound
        yield arg.arg, _any_instance(function) if first else None
    for arg in args.kwonlyargs:
        yield arg.arg, None
    for rest in (args.vararg, args.kwarg):
        if rest is not None:
            yield rest.arg, None


def _any_instance(function: PythonFunction) -> PythonValue:
    value = PythonValue()
    value.owner = function.owner
    return value


def bound(
    function: PythonFunction, args: _Values, keywords: _Named, receiver: PythonValue | None = None
) -> Iterator[tuple[str, PythonValue | None]]:
    """Yield the parameters that a call gives, and what each is given."""
    spec = function.node.args
    names = [arg.arg for arg in (*spec.posonlyargs, *spec.args)]
    if function.bound and names and not _given_itself(function, args, names):
        if receiver is not None and not function.of_class:
            yield names[0], receiver
        names = names[1:]
    yield from zip(names, args, strict=False)
    for name, value in keywords.items():
        if name in names or any(arg.arg == name for arg in spec.kwonlyargs):
            yield name, value
    if spec.vararg is not None:
        yield spec.vararg.arg, PythonValue.holding(dict(enumerate(args[len(names) :])))
    if spec.kwarg is not None:
        rest: dict[str, PythonValue | None] = {
            name: value for name, value in keywords.items() if name not in names
        }
        yield spec.kwarg.arg, PythonValue.holding(rest)


def _given_itself(function: PythonFunction, args: _Values, names: list[str]) -> bool:
    """Whether a method is called on its class, with the object as an argument: `Box.get(box)`."""
    first = args[0] if args else None
    if len(args) != len(names) or first is None or first.owner is None:
        return False
    return bool(first.owner.extends(function.owner))
