"""Names accessed by string: `getattr` and related functions."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.attributes import check_built, lookup_key, member, of_fields
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.names import HEAVY_MODULES
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall, handles
from engine.analysis.python.evaluate.targets import JUDGES
from engine.analysis.python.evaluate.targets import set_attribute as bind_attribute
from engine.analysis.python.evaluate.values import NOTHING, PythonValue, derived, text_of
from engine.analysis.python.rules import execution as rules
from engine.analysis.python.rules.objects import PROBE, TAMPER
from engine.models import Level

DYNAMIC_ATTRIBUTE = python_rule(
    "py-dynamic-attribute",
    "Attributes or names are accessed by string",
    "exec_eval",
    Level.LOW,
    attack="Reads, replaces or removes attributes whose names do not appear in the code.",
    why="LOW: common in legitimate code; HIGH where the name is dangerous or hidden.",
    fix="Write the attribute directly where it is known.",
    match=("getattr(a, b)", "setattr(a, 'b', 1)", "delattr(a, b)", "globals()"),
    not_match=("a.b", "a.getattr(b)"),
    cwe=470,
)


@handles(
    "builtins.getattr",
    "builtins.object.__getattribute__",
    "builtins.type.__getattribute__",
    "inspect.getattr_static",
    "operator.attrgetter()()",
)
def get_attribute(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return what `getattr(x, 'name')` means."""
    name = call.arg(1, "name")
    return named_attribute(evaluator, call, call.arg(0, "obj"), name, text_of(name))


def named_attribute(
    evaluator: Evaluator,
    call: PythonCall,
    owner: PythonValue | None,
    name: PythonValue | None,
    text: str | None,
) -> PythonValue | None:
    """Return the attribute `name` of `owner`; `text` is its name where that is known."""
    evaluator.report(DYNAMIC_ATTRIBUTE, call.node, "Reads an attribute by string")
    head = (owner.name or "").partition(".")[0] if owner is not None else ""
    if text is None:
        if head in HEAVY_MODULES:
            evaluator.report(
                rules.HIDDEN_NAME,
                call.node,
                f"An attribute of `{head}` that is known only at run time",
                value=name,
            )
            return PythonValue(name=f"{head}.?")
        return derived(NOTHING, owner)
    if name is not None and name.built and text.startswith("__"):
        evaluator.report(
            PROBE, call.node, f"The inner name `{text[:40]}` is assembled from parts", value=name
        )
    found = member(evaluator, call.node, owner, text.split(".")[0])
    for part in text.split(".")[1:]:
        found = member(evaluator, call.node, found, part)
    if found is not None and found.name:
        found = found.copy()
        found.built = True
        check_built(evaluator, call.node, found, name)
    return found


def _own_attribute(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return what `os.__getattribute__('system')` means."""
    owner, name = PythonValue(name=call.name.rpartition(".")[0]), call.arg(0)
    return named_attribute(evaluator, call, owner, name, text_of(name))


for _module in HEAVY_MODULES:
    CALLS[f"{_module}.__getattribute__"] = _own_attribute


@handles("builtins.setattr", "builtins.delattr")
def set_attribute(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report attributes set by text, and modules that are tampered with."""
    owner = call.arg(0)
    evaluator.report(DYNAMIC_ATTRIBUTE, call.node, "Changes an attribute by string")
    replaced = f"{owner.name}.{call.text(1)}" if owner is not None and owner.name else ""
    if replaced.partition(".")[0] in HEAVY_MODULES or JUDGES.match(replaced):
        evaluator.report(TAMPER, call.node, f"Changes an attribute of `{replaced.rpartition('.')[0]}`")
    text = call.text(1)
    if owner is not None and text is not None:
        bind_attribute(owner, text, call.arg(2))
    return None


@handles("builtins.vars", "builtins.globals", "builtins.locals")
def namespace(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return a namespace: of a module, or of the code itself."""
    evaluator.report(DYNAMIC_ATTRIBUTE, call.node, f"`{call.name[9:]}()` accesses names by string")
    owner = call.arg(0)
    if owner is not None and owner.fields is not None:
        return of_fields(owner.fields)
    if owner is not None and owner.name:
        return PythonValue(name=f"{owner.name}.__dict__")
    return PythonValue(name=f"{call.name}()")


@handles("inspect.getmembers", "inspect.getmembers_static", "gc.get_referents")
def members(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report the whole content of a module, from which a name is taken by other means than by name."""
    owner = call.arg(0)
    if owner is not None and (owner.name or "").partition(".")[0] in HEAVY_MODULES:
        evaluator.report(rules.INDIRECT_NAME, call.node, f"Reads every attribute of `{owner.name}`")
    return None


def _everything(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report the names of a module that is walked through, or merged into the code's own."""
    namespaces = [call.receiver, *call.args]
    owners = [(value.name or "").removesuffix(".__dict__") for value in namespaces if value is not None]
    if any(owner in HEAVY_MODULES for owner in owners):
        evaluator.report(rules.INDIRECT_NAME, call.node, "Reads every name of a dangerous module")
    return None


for _base in ("builtins.globals()", "builtins.locals()", "builtins.vars()"):
    CALLS[f"{_base}.update"] = _everything
for _base in ("os", "subprocess", "builtins", "sys", "pty", "ctypes", "importlib"):
    for _method in ("items", "values", "copy"):
        CALLS[f"{_base}.__dict__.{_method}"] = _everything


def _namespace_get(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    owner = PythonValue(name=call.name.rpartition(".")[0])
    return lookup_key(evaluator, call.node, owner, call.arg(0))


for _base in (
    "sys.modules",
    "builtins.globals()",
    "builtins.locals()",
    "builtins.vars()",
    "builtins.__dict__",
):
    for _method in ("get", "__getitem__", "pop", "setdefault"):
        CALLS[f"{_base}.{_method}"] = _namespace_get
for _base in ("os.__dict__", "subprocess.__dict__", "builtins", "sys.__dict__"):
    for _method in ("get", "__getitem__"):
        CALLS[f"{_base}.{_method}"] = _namespace_get


def _unknown_name(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report the call of a function whose name is known only at run time."""
    evaluator.report(rules.INDIRECT_NAME, call.node, "Calls a function whose name is known only at run time")
    return None


for _base in ("builtins.globals()", "builtins.locals()", "builtins.vars()", "sys.modules"):
    CALLS[f"{_base}[?]"] = _unknown_name
