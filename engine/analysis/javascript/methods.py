"""Methods of strings and lists that are evaluated when their arguments are known."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.analysis.javascript.values import UNKNOWN, JavaScriptValue, any_of, text

Fold = Callable[[JavaScriptValue, list[JavaScriptValue]], JavaScriptValue | None]


def number_of(value: JavaScriptValue, default: int = 0) -> int:
    """Return a value as a whole number. Raises ValueError where it is none."""
    if value.kind not in {"number", "text"}:
        raise ValueError("not a number")
    return (
        int(float(value.text or default)) if not value.text.lower().startswith("0x") else int(value.text, 16)
    )


def all_known(values: list[JavaScriptValue]) -> bool:
    """Whether every value is known in full."""
    return all(value.known for value in values)


def from_codes(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    """`String.fromCharCode(…)`, its arguments spread or not."""
    codes = [item for arg in args for item in (arg.items if arg.kind == "list" else (arg,))]
    if not codes or not all_known(codes):
        return None
    return text("".join(chr(number_of(code) & 0xFFFF) for code in codes), *codes, layer="fromCharCode")


def _join(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if receiver.kind != "list":
        return None
    glue = args[0].text if args and args[0].known else ","
    parts = [item.text if item.known else UNKNOWN for item in receiver.items]
    return text(glue.join(parts), *receiver.items)


def _reverse(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if receiver.kind != "list":
        return None

    return JavaScriptValue(
        "list",
        items=receiver.items[::-1],
        taints=receiver.taints,
        origin=receiver.origin,
        layers=("reverse",),
    )


def _split(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if not receiver.known or receiver.kind != "text":
        return None
    glue = args[0].text if args and args[0].known else None
    parts = [receiver.text] if glue is None else receiver.text.split(glue) if glue else list(receiver.text)
    return JavaScriptValue(
        "list", items=tuple(text(part, receiver) for part in parts[:4096]), origin=receiver.origin
    )


def _cut(how: str) -> Fold:
    def work(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
        if not all_known(args) or not (receiver.known or receiver.kind == "list"):
            return None
        numbers = [number_of(arg) for arg in args]
        start = numbers[0] if numbers else 0
        end = numbers[1] if len(numbers) > 1 else None
        if receiver.kind == "list":
            return receiver._replace(items=receiver.items[start:end])
        if how == "substr":
            start = max(len(receiver.text) + start, 0) if start < 0 else start
            end = None if end is None else start + end
        return text(receiver.text[start:end], receiver)

    return work


def _at(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    index = number_of(args[0]) if args else 0
    if receiver.kind == "list":
        return receiver.items[index]
    return text(receiver.text[index], receiver) if receiver.known else None


def _replace(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if not receiver.known or len(args) != 2 or not args[1].known:
        return None
    if args[0].kind == "text" and args[0].known:
        return text(receiver.text.replace(args[0].text, args[1].text, 1), receiver)
    pattern = re.fullmatch(r"/((?:[\w\s\-@#!~%&=:;,<>]|\\.)+)/(g?)", args[0].path)
    if pattern is None or len(receiver.text) > 4096:
        return None
    count = 0 if pattern[2] else 1
    replacement = args[1].text
    return text(re.sub(pattern[1], lambda _: replacement, receiver.text, count=count), receiver)


def _concat(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if receiver.kind == "list":
        items = [item for arg in args for item in (arg.items if arg.kind == "list" else (arg,))]
        return JavaScriptValue("list", items=(*receiver.items, *items))
    return text("".join(v.text if v.known else UNKNOWN for v in (receiver, *args)), receiver, *args)


def _repeat(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    count = number_of(args[0])
    if not receiver.known or count * len(receiver.text) > 65_536:
        return None
    return text(receiver.text * count, receiver)


def _case(change: Callable[[str], str]) -> Fold:
    return lambda receiver, args: text(change(receiver.text), receiver) if receiver.known else None


def _code_at(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    return JavaScriptValue("number", str(ord(receiver.text[number_of(args[0]) if args else 0])))


def _to_string(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if receiver.kind == "number" and args and args[0].known:
        return text(_in_base(int(float(receiver.text)), number_of(args[0])), receiver)
    if receiver.kind == "list":
        return _join(receiver, [])
    return text(receiver.text, receiver) if receiver.known else None


def _in_base(number: int, base: int) -> str:
    digits = ""
    while number and len(digits) < 64:
        number, rest = divmod(number, base)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits or "0"


def _mapped(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    """`[…].map(c => String.fromCharCode(c))` and `.map(Number)`."""
    name = args[0].path if args else ""

    if receiver.kind != "list" or name not in {
        "String.fromCharCode",
        "String.fromCodePoint",
        "Number",
        "String",
    }:
        return None
    if name in {"Number", "String"}:
        return receiver
    items = [from_codes(receiver, [item]) for item in receiver.items]

    return (
        None
        if None in items
        else JavaScriptValue("list", items=tuple(item for item in items if item), layers=("fromCharCode",))
    )


def _taken(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    """An element, of which it is not known whether others were taken before."""
    return any_of(list(receiver.items)) if receiver.kind == "list" else None


def _entries(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if receiver.kind == "map":
        return receiver._replace(kind="list", path="")
    if receiver.kind != "list":
        return None
    numbers = (JavaScriptValue("number", str(index)) for index in range(len(receiver.items)))
    pairs = zip(numbers, receiver.items, strict=True)
    return receiver._replace(items=tuple(JavaScriptValue("list", items=pair) for pair in pairs))


def _values(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if receiver.kind != "map":
        return receiver if receiver.kind == "list" else None
    return receiver._replace(kind="list", path="", items=tuple(held for _, held in _pairs(receiver)))


def _got(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    """What a map has under a key: under any key that may be it, for the program may have changed it since."""
    if receiver.kind != "map" or not args:
        return None
    return any_of([held for key, held in _pairs(receiver) if not args[0].known or key.text == args[0].text])


def _pairs(receiver: JavaScriptValue) -> list[tuple[JavaScriptValue, JavaScriptValue]]:
    return [(pair.items[0], pair.items[1]) for pair in receiver.items if len(pair.items) > 1]


METHODS: dict[str, Fold] = {
    "join": _join, "reverse": _reverse, "split": _split, "slice": _cut("slice"), "substring": _cut("slice"),
    "substr": _cut("substr"), "charAt": _at, "at": _at, "replace": _replace, "replaceAll": _replace,
    "concat": _concat,
    "repeat": _repeat, "toLowerCase": _case(str.lower), "toUpperCase": _case(str.upper),
    "trim": _case(str.strip),
    "charCodeAt": _code_at, "codePointAt": _code_at, "toString": _to_string, "valueOf": _to_string,
    "toReversed": _reverse, "normalize": _case(str), "map": _mapped,
    "pop": _taken, "shift": _taken, "entries": _entries, "values": _values, "get": _got,
}  # fmt: skip
