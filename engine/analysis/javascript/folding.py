"""Built-in functions whose result is known when their arguments are."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from urllib.parse import quote, unquote

from engine.analysis.javascript.values import UNKNOWN, Value, text, unknown

_Fold = Callable[[Value, list[Value]], Value | None]


def fold(name: str, receiver: Value, args: list[Value]) -> Value | None:
    """Return the value of `receiver.name(args)`, or of the global `name(args)`, or None."""
    work = _METHODS.get(name) if receiver.kind in {"text", "list", "number"} else None
    if work is None and receiver.kind not in {"text", "list", "number"}:
        work = _GLOBALS.get(name)
    if work is None:
        return None
    try:
        return work(receiver, args)
    except (ValueError, IndexError, binascii.Error, UnicodeError, OverflowError, re.error):
        return None


def _number(value: Value, default: int = 0) -> int:
    if value.kind not in {"number", "text"}:
        raise ValueError("not a number")
    return (
        int(float(value.text or default)) if not value.text.lower().startswith("0x") else int(value.text, 16)
    )


def _known(values: list[Value]) -> bool:
    return all(value.known for value in values)


def from_codes(receiver: Value, args: list[Value]) -> Value | None:
    """`String.fromCharCode(…)`, its arguments spread or not."""
    codes = [item for arg in args for item in (arg.items if arg.kind == "list" else (arg,))]
    if not codes or not _known(codes):
        return None
    return text("".join(chr(_number(code) & 0xFFFF) for code in codes), *codes, layer="fromCharCode")


def _decode(data: str, encoding: str) -> str:
    if encoding == "hex":
        return bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", data)).decode("utf-8", "strict")
    padded = re.sub(r"[\s=]", "", data).replace("-", "+").replace("_", "/")
    return base64.b64decode(padded + "=" * (-len(padded) % 4)).decode("utf-8", "strict")


def _atob(receiver: Value, args: list[Value]) -> Value | None:
    if not args or not args[0].known:
        return unknown(*args, taint="decoded")
    return text(_decode(args[0].text, "base64"), args[0], layer="base64")


def buffer_from(receiver: Value, args: list[Value]) -> Value | None:
    """`Buffer.from(text, encoding)`."""
    if not args:
        return None
    if args[0].kind == "list":
        return from_codes(receiver, args[:1])
    encoding = args[1].text if len(args) > 1 and args[1].known else "utf8"
    if encoding not in {"base64", "base64url", "hex"}:
        return text(args[0].text, args[0]) if args[0].known else None
    if not args[0].known:
        return unknown(*args, taint="decoded")
    name = "hex" if encoding == "hex" else "base64"
    return text(_decode(args[0].text, name), args[0], layer=name)


def spread(value: Value) -> tuple[Value, ...]:
    """Return what a value is one after the other: the characters of a text, the items of a list."""
    if value.kind == "list":
        return value.items
    if value.kind == "text" and value.known:
        return tuple(text(char, value) for char in value.text[:4096])
    return (value,)


def _array_from(receiver: Value, args: list[Value]) -> Value | None:
    """`Array.from(…)` of a text or a list."""
    if len(args) != 1 or args[0].kind not in {"text", "list"}:
        return None
    return Value("list", items=spread(args[0]), origin=args[0].origin)


def _unquote(receiver: Value, args: list[Value]) -> Value | None:
    return text(unquote(args[0].text), args[0], layer="percent") if args and args[0].known else None


def _identity(receiver: Value, args: list[Value]) -> Value | None:
    return text(args[0].text, args[0]) if args and args[0].known else None


def _parse_int(receiver: Value, args: list[Value]) -> Value | None:
    if not args or not args[0].known:
        return None
    base = _number(args[1]) if len(args) > 1 else 10
    match = re.match(r"\s*[-+]?(?:0[xX])?[0-9a-zA-Z]+", args[0].text)
    digits = match[0].strip() if match else ""
    return Value(
        "number", str(int(digits, 16 if digits.lower().startswith("0x") else base)), taints=args[0].taints
    )


_GLOBALS: dict[str, _Fold] = {
    "String.fromCharCode": from_codes,
    "String.fromCodePoint": from_codes,
    "Array.from": _array_from,
    "atob": _atob,
    "Buffer.from": buffer_from,
    "Buffer": buffer_from,
    "decodeURIComponent": _unquote,
    "decodeURI": _unquote,
    "unescape": _unquote,
    "encodeURIComponent": lambda receiver, args: text(quote(args[0].text), args[0]) if _known(args) else None,
    "String": _identity,
    "String.raw": _identity,
    "parseInt": _parse_int,
    "Number": _parse_int,
}


# --- methods of texts and lists -------------------------------------------------------------------


def _join(receiver: Value, args: list[Value]) -> Value | None:
    if receiver.kind != "list":
        return None
    glue = args[0].text if args and args[0].known else ","
    parts = [item.text if item.known else UNKNOWN for item in receiver.items]
    return text(glue.join(parts), *receiver.items)


def _reverse(receiver: Value, args: list[Value]) -> Value | None:
    if receiver.kind != "list":
        return None

    return Value(
        "list",
        items=receiver.items[::-1],
        taints=receiver.taints,
        origin=receiver.origin,
        layers=("reverse",),
    )


def _split(receiver: Value, args: list[Value]) -> Value | None:
    if not receiver.known or receiver.kind != "text":
        return None
    glue = args[0].text if args and args[0].known else None
    parts = [receiver.text] if glue is None else receiver.text.split(glue) if glue else list(receiver.text)
    return Value("list", items=tuple(text(part, receiver) for part in parts[:4096]), origin=receiver.origin)


def _cut(how: str) -> _Fold:
    def work(receiver: Value, args: list[Value]) -> Value | None:
        if receiver.kind == "list" or not receiver.known or not _known(args):
            return None
        numbers = [_number(arg) for arg in args]
        start = numbers[0] if numbers else 0
        end = numbers[1] if len(numbers) > 1 else None
        if how == "substr":
            start = max(len(receiver.text) + start, 0) if start < 0 else start
            end = None if end is None else start + end
        return text(receiver.text[start:end], receiver)

    return work


def _at(receiver: Value, args: list[Value]) -> Value | None:
    index = _number(args[0]) if args else 0
    if receiver.kind == "list":
        return receiver.items[index]
    return text(receiver.text[index], receiver) if receiver.known else None


def _replace(receiver: Value, args: list[Value]) -> Value | None:
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


def _concat(receiver: Value, args: list[Value]) -> Value | None:
    if receiver.kind == "list":
        items = [item for arg in args for item in (arg.items if arg.kind == "list" else (arg,))]
        return Value("list", items=(*receiver.items, *items))
    return text("".join(v.text if v.known else UNKNOWN for v in (receiver, *args)), receiver, *args)


def _repeat(receiver: Value, args: list[Value]) -> Value | None:
    count = _number(args[0])
    if not receiver.known or count * len(receiver.text) > 65_536:
        return None
    return text(receiver.text * count, receiver)


def _case(change: Callable[[str], str]) -> _Fold:
    return lambda receiver, args: text(change(receiver.text), receiver) if receiver.known else None


def _code_at(receiver: Value, args: list[Value]) -> Value | None:
    return Value("number", str(ord(receiver.text[_number(args[0]) if args else 0])))


def _to_string(receiver: Value, args: list[Value]) -> Value | None:
    if receiver.kind == "number" and args and args[0].known:
        return text(_in_base(int(float(receiver.text)), _number(args[0])), receiver)
    if receiver.kind == "list":
        return _join(receiver, [])
    return text(receiver.text, receiver) if receiver.known else None


def _in_base(number: int, base: int) -> str:
    digits = ""
    while number and len(digits) < 64:
        number, rest = divmod(number, base)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits or "0"


def _mapped(receiver: Value, args: list[Value]) -> Value | None:
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
        else Value("list", items=tuple(item for item in items if item), layers=("fromCharCode",))
    )


_METHODS: dict[str, _Fold] = {
    "join": _join, "reverse": _reverse, "split": _split, "slice": _cut("slice"), "substring": _cut("slice"),
    "substr": _cut("substr"), "charAt": _at, "at": _at, "replace": _replace, "replaceAll": _replace,
    "concat": _concat,
    "repeat": _repeat, "toLowerCase": _case(str.lower), "toUpperCase": _case(str.upper),
    "trim": _case(str.strip),
    "charCodeAt": _code_at, "codePointAt": _code_at, "toString": _to_string, "valueOf": _to_string,
    "toReversed": _reverse, "normalize": _case(str), "map": _mapped,
}  # fmt: skip
