"""Built-in functions that are evaluated when their arguments are known."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import quote, unquote, urljoin

from engine.analysis.javascript.methods import METHODS, Fold, all_known, from_codes, number_of
from engine.analysis.javascript.values import JavaScriptValue, text, unknown

HAVE_METHODS = frozenset({"text", "list", "map", "number"})
"""Kinds of values whose methods are evaluated."""


def fold(name: str, receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    """Return the value of `receiver.name(args)`, or of the global `name(args)`, or None."""
    work = METHODS.get(name) if receiver.kind in HAVE_METHODS else _GLOBALS.get(name)
    if work is None:
        return None
    try:
        return work(receiver, args)
    except (ValueError, IndexError, binascii.Error, UnicodeError, OverflowError, re.error):
        return None


def _decode(data: str, encoding: str) -> str:
    if encoding == "hex":
        return bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", data)).decode("utf-8", "strict")
    padded = re.sub(r"[\s=]", "", data).replace("-", "+").replace("_", "/")
    return base64.b64decode(padded + "=" * (-len(padded) % 4)).decode("utf-8", "strict")


def _atob(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if not args or not args[0].known:
        return unknown(*args, taint="decoded")
    return text(_decode(args[0].text, "base64"), args[0], layer="base64")


def buffer_from(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
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


def spread(value: JavaScriptValue) -> tuple[JavaScriptValue, ...]:
    """Return what a value is one after the other: the characters of a text, the items of a list."""
    if value.kind == "list":
        return value.items
    if value.kind == "text" and value.known:
        return tuple(text(char, value) for char in value.text[:4096])
    return (value,)


def _array_from(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    """`Array.from(…)` of a text or a list."""
    if len(args) != 1 or args[0].kind not in {"text", "list"}:
        return None
    return JavaScriptValue("list", items=spread(args[0]), origin=args[0].origin)


def _map(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    """`new Map(pairs)`."""
    return args[0]._replace(kind="map", path="Map()") if args and args[0].kind == "list" else None


def _set(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    """`new Set(list)`."""
    return args[0]._replace(path="Set()") if args and args[0].kind == "list" else None


def _unquote(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    return text(unquote(args[0].text), args[0], layer="percent") if args and args[0].known else None


def _identity(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    return text(args[0].text, args[0]) if args and args[0].known else None


def _parse_int(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    if not args or not args[0].known:
        return None
    base = number_of(args[1]) if len(args) > 1 else 10
    match = re.match(r"\s*[-+]?(?:0[xX])?[0-9a-zA-Z]+", args[0].text)
    digits = match[0].strip() if match else ""
    return JavaScriptValue(
        "number", str(int(digits, 16 if digits.lower().startswith("0x") else base)), taints=args[0].taints
    )


def _url(receiver: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue | None:
    """`new URL(address, base)`."""
    if not 1 <= len(args) <= 2 or not all_known(args):
        return None
    return text(urljoin(args[-1].text, args[0].text), *args)


_GLOBALS: dict[str, Fold] = {
    "String.fromCharCode": from_codes,
    "String.fromCodePoint": from_codes,
    "Array.from": _array_from,
    "Map": _map,
    "Set": _set,
    "atob": _atob,
    "Buffer.from": buffer_from,
    "Buffer": buffer_from,
    "decodeURIComponent": _unquote,
    "decodeURI": _unquote,
    "unescape": _unquote,
    "encodeURIComponent": lambda receiver, args: (
        text(quote(args[0].text), args[0]) if all_known(args) else None
    ),
    "String": _identity,
    "String.raw": _identity,
    "parseInt": _parse_int,
    "URL": _url,
    "Number": _parse_int,
}
