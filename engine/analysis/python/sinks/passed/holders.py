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
