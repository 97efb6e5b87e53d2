"""Objects that only hold what they are given: namespaces and named tuples."""

from __future__ import annotations

from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.scopes import PythonClass
from engine.analysis.python.evaluate.sink_registry import PythonCall, handles
from engine.analysis.python.evaluate.targets import parts_of
from engine.analysis.python.evaluate.values import PythonValue, text_of


@handles("types.SimpleNamespace", "argparse.Namespace")
def namespace(_: Evaluator, call: PythonCall) -> PythonValue:
    """Return an object with the attributes that it is given."""
    value = PythonValue(name=f"{call.name}()", taint=call.taint)
    value.fields = dict(call.keywords)
    return value


@handles("collections.namedtuple", "dataclasses.make_dataclass")
def record_class(_: Evaluator, call: PythonCall) -> PythonValue:
    """Return a class whose objects have the fields named, in their order."""
    names = call.text(1, "field_names")
    fields = names.replace(",", " ").split() if names is not None else _names(call)
    value = PythonValue()
    value.owner = PythonClass(call.text(0) or "", (), declared=tuple(fields))
    return value


def _names(call: PythonCall) -> list[str]:
    parts = parts_of(call.arg(1, "field_names") or call.arg(1, "fields"))
    texts = [text_of(part) or text_of(next(iter(parts_of(part)), None)) for part in parts]
    return [text or "" for text in texts]


@handles("builtins.type", "types.new_class")
def made_class(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return the class that `type(name, bases, attributes)` makes; with one argument, nothing known."""
    given = call.arg(2)
    if given is None:
        return None
    owner = PythonClass(call.text(0) or "", ())
    for base in parts_of(call.arg(1)):
        if base is not None and base.owner is not None:
            owner.attributes.update(base.owner.attributes)
            owner.parents += (base.owner,)
    for name, value in (given.items or {}).items():
        if value is not None and value.function is not None:
            value.function.owner, value.function.bound = owner, True
        owner.attributes[str(name)] = value
    value = PythonValue()
    value.owner = owner
    return value


@handles("builtins.super")
def parent(evaluator: Evaluator, call: PythonCall) -> PythonValue:
    """Return this object as one of its parent class."""
    value = PythonValue(name="builtins.super()")
    me = next(iter(evaluator.scope.names.values()), None)
    if me is not None and me.owner is not None and me.owner.parents and me.fields is not None:
        value.name = None
        value.owner, value.fields = me.owner.parents[0], me.fields
    return value


@handles("builtins.object.__new__", "builtins.super().__new__")
def new_object(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return a new object of a class of the code."""
    made = call.arg(0)
    if made is None or made.owner is None:
        return None
    value = PythonValue()
    value.owner, value.fields = made.owner, {}
    return value
