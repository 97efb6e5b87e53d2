"""String methods with effects beyond their result."""

from __future__ import annotations

import re
from typing import Any

from engine.analysis.python import gadgets
from engine.analysis.python.evaluate import decoders, fold
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.patterns import HOLE, pattern_of
from engine.analysis.python.evaluate.sink_registry import TEXT_METHODS, Handler, PythonCall, handles
from engine.analysis.python.evaluate.targets import element, parts_of
from engine.analysis.python.evaluate.values import NOTHING, PythonValue, derived
from engine.analysis.python.loops.loops import turns_of
from engine.analysis.python.loops.resources import check_width, too_many
from engine.analysis.python.rules.resources import ENDLESS
from engine.analysis.python.sinks.folding import decoded
from engine.models import Level


def _join(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    receiver, parts = call.receiver, call.arg(0)
    if parts is None or receiver is None:
        return derived(NOTHING, parts)
    if parts.name == "endless":
        evaluator.report(ENDLESS, call.node, "Collects an endless iterator", severity=Level.HIGH)
    too_many(evaluator, call.node, turns_of(parts))
    if isinstance(parts.const, list | tuple | str) and receiver.known:
        return derived(fold.method(receiver.const, "join", [parts.const], {}), parts)
    if parts.items and isinstance(receiver.const, str):
        text = receiver.const.join(pattern_of(part) for part in parts.items.values())
        if HOLE not in text:
            return derived(text, parts)
        value = PythonValue(taint=parts.taint)
        value.items = {"pattern": PythonValue(text)}
        return value
    return derived(NOTHING, parts, receiver)


def _decode(_: Evaluator, call: PythonCall) -> PythonValue | None:
    receiver = call.receiver
    if receiver is None:
        return None
    if not receiver.known:
        return derived(NOTHING, receiver) if receiver.taint else receiver
    codec = call.text(0, "encoding") or "utf-8"
    const, layer = decoders.decode_codec(receiver.const, codec)
    if const is NOTHING:
        errors = call.text(1, "errors")
        const = fold.attempt(lambda: receiver.const.decode(codec, errors or "replace"))
    return decoded(const, receiver, layer) if layer else derived(const, receiver)


def _format(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    template = call.receiver.const if call.receiver is not None else None
    if not isinstance(template, str):
        return derived(NOTHING, call.receiver, *call.args)
    gadgets.check_format(evaluator, call.node, template)
    check_width(evaluator, call.node, template)
    args = [arg.const if arg is not None else NOTHING for arg in call.args]
    named = {key: value.const if value is not None else NOTHING for key, value in call.keywords.items()}
    values: list[Any] = [*args, *named.values()]
    parents = (*call.args, *call.keywords.values())
    if all(value is not NOTHING for value in values) and call.name == "format":
        result = fold.method(template, "format", args, named)
        if result is not NOTHING:
            return derived(result, *parents)
    value = PythonValue(taint=call.taint)
    value.items = {"pattern": PythonValue(re.sub(r"\{[^{}]*\}", HOLE, template[: fold.MAX_TEXT]))}
    return value


def _append(_: Evaluator, call: PythonCall) -> PythonValue | None:
    receiver, added = call.receiver, call.args[-1] if call.args else None
    if receiver is not None and added is not None:
        _open(receiver)
        receiver.taint |= added.taint
        if receiver.items is not None:
            receiver.items[len(receiver.items)] = added
        receiver.const = NOTHING if not receiver.name else receiver.const
    return None


def _open(receiver: PythonValue) -> None:
    """Turn a constant list, which is about to change, into its elements."""
    if receiver.items is None and isinstance(receiver.const, list):
        receiver.items = dict(enumerate(parts_of(receiver)))


def _extend(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """Add every element of another container; of a mapping its keys too."""
    receiver, added = call.receiver, call.arg(0)
    if receiver is None:
        return None
    _open(receiver)
    receiver.taint |= call.taint
    receiver.const = NOTHING if not receiver.name else receiver.const
    if receiver.items is None:
        return None
    if call.name == "update":
        receiver.items.update({**((added.items if added is not None else None) or {}), **call.keywords})
    else:
        receiver.items.update(
            {len(receiver.items) + n: part for n, part in enumerate(parts_of(added) or [added])}
        )
    return None


def _default(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return what a key has, which it is given where it has nothing."""
    receiver, key, given = call.receiver, call.arg(0), call.arg(1)
    if receiver is None or receiver.items is None:
        return _item(evaluator, call)
    name = key.const if key is not None and isinstance(key.const, str | int) else ("any", len(receiver.items))
    return receiver.items.setdefault(name, given)


def _item(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    receiver, key = call.receiver, call.arg(0)
    if receiver is None:
        return None
    if receiver.items is not None and key is not None and isinstance(key.const, str | int):
        return receiver.items.get(key.const) or call.arg(1)
    if call.name in _TAKING and receiver.items:
        return element(receiver)
    return derived(NOTHING, receiver)


def _pairs(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """`for key, value in x.items()`: every pair."""
    receiver = call.receiver
    if receiver is None or not receiver.items or "pattern" in receiver.items:
        return receiver
    pairs = PythonValue(taint=receiver.taint)
    pairs.items = {}
    for index, (key, entry) in enumerate(list(receiver.items.items())[:_MAX_PAIRS]):
        pair = PythonValue()
        pair.items = {0: PythonValue(key) if isinstance(key, str | int) else None, 1: entry}
        pairs.items[index] = pair
    return pairs


_MAX_PAIRS = 64
_TAKING = frozenset(("pop", "popleft", "popitem", "get", "get_nowait"))


def _values(_: Evaluator, call: PythonCall) -> PythonValue | None:
    return call.receiver


_METHODS: dict[str, Handler] = {
    "join": _join,
    "decode": _decode,
    "format": _format,
    "format_map": _format,
    "append": _append,
    "appendleft": _append,
    "insert": _append,
    "put": _append,
    "put_nowait": _append,
    "set": _append,
    "add": _append,
    "extend": _extend,
    "extendleft": _extend,
    "update": _extend,
    "setdefault": _default,
    "popleft": _item,
    "get_nowait": _item,
    "get": _item,
    "pop": _item,
    "__getitem__": _item,
    "values": _values,
    "items": _pairs,
    "copy": _values,
}
TEXT_METHODS.update(_METHODS)


@handles("string.Formatter().format", "string.Formatter().vformat", "string.Formatter().get_field")
def formatter(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Manual formatting reaches attributes as `str.format` does."""
    template = call.text(0) or ""
    probe = f"{{{template}}}" if call.name.endswith("get_field") else template
    gadgets.check_format(evaluator, call.node, probe)
    return derived(NOTHING, *call.args)
