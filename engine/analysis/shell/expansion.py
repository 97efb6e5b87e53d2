"""Expands `${…}`, quotes and braces."""

from __future__ import annotations

import re
from fnmatch import translate

from engine.analysis.shell.values import CLOSE, COMMA, GAP, OPEN, UNKNOWN, ShellValue, Variables

_PARAMETER = re.compile(r"\$\{([!#]?)([A-Za-z_]\w*|[0-9]+|[@*#?$!_-])(\[[^\]]*\])?(.*)\}\Z", re.DOTALL)
_SLICE = re.compile(r":\s*(-?\d+)\s*(?::\s*(-?\d+)\s*)?\Z")
_ESCAPE = re.compile(
    r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0?[0-7]{1,3}|c.|.)", re.DOTALL
)
_SIMPLE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
}
MAX_FIELDS = 64


def unescaped(text: str) -> str:
    """Return `text` with the escapes of `$'…'`, `echo -e` and `printf` decoded."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _character(match[1]), text)


def _character(code: str) -> str:
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _SIMPLE.get(code, code if code in "\\'\"?" else "\\" + code)


def parameter(text: str, variables: Variables) -> ShellValue:
    """Return what the expansion `text`, written `${…}`, yields."""
    match = _PARAMETER.match(text)
    if match is None:
        return ShellValue(UNKNOWN)
    flag, name, index, operation = match.groups()
    value = _element(variables.get(name), index)
    if flag == "#":
        return ShellValue(str(len(value.text)) if UNKNOWN not in value.text else UNKNOWN)
    if flag == "!":
        return variables.get(value.text) if value.text.isidentifier() else ShellValue(UNKNOWN)
    if not operation:
        return value
    known = variables.has(name)
    return ShellValue(_operated(value.text, operation, known=known), value.taints, value.origin)


def _element(value: ShellValue, index: str | None) -> ShellValue:
    if index is None or not value.items:
        return value
    inner = index[1:-1]
    if inner in {"@", "*"}:
        return ShellValue(GAP.join(value.items), value.taints, value.origin)
    if inner.lstrip("-").isdigit() and -len(value.items) <= int(inner) < len(value.items):
        return ShellValue(value.items[int(inner)], value.taints, value.origin)
    return ShellValue(UNKNOWN, value.taints, value.origin)


def _operated(text: str, operation: str, *, known: bool) -> str:
    default = re.match(r":?([-=?+])(.*)\Z", operation, re.DOTALL)
    if default:
        return _defaulted(text, default[1], default[2], known=known)
    if UNKNOWN in text:
        return UNKNOWN
    work = _OPERATIONS.get(operation[0])
    return work(text, operation) if work else UNKNOWN


def _defaulted(text: str, kind: str, word: str, *, known: bool) -> str:
    word = word.strip("\"'") if "$" not in word and "`" not in word else UNKNOWN
    if kind == "+":
        return word if known else ""
    if known and text:
        return text
    return text if kind == "?" else word


def _sliced(text: str, operation: str) -> str:
    match = _SLICE.match(operation)
    if match is None:
        return UNKNOWN
    tail = text[int(match[1]) :]
    return tail if match[2] is None else tail[: int(match[2])]


def _cased(text: str, operation: str) -> str:
    changed = {",": str.lower, "^": str.upper, "~": str.swapcase}[operation[0]]
    if operation.strip(operation[0]):
        return UNKNOWN
    return changed(text) if len(operation) == 2 else changed(text[:1]) + text[1:]


def _pattern(pattern: str, *, anchor: str) -> re.Pattern[str] | None:
    if "$" in pattern or "`" in pattern or len(pattern) > 40 or pattern.count("*") > 2:
        return None
    body = translate(pattern.replace("\\", "")).removeprefix("(?s:").removesuffix(r")\Z")
    return re.compile({"^": rf"\A(?:{body})", "$": rf"(?:{body})\Z"}.get(anchor, body), re.DOTALL)


def _replaced(text: str, operation: str) -> str:
    every = operation.startswith("//")
    pattern, _, replacement = operation.lstrip("/").partition("/")
    compiled = _pattern(pattern.strip("\"'"), anchor="")
    if compiled is None or "$" in replacement or len(text) > 4096:
        return UNKNOWN
    plain = replacement.strip("\"'")
    return compiled.sub(lambda _: plain, text, count=0 if every else 1)


def _trimmed(text: str, operation: str) -> str:
    greedy = operation[:2] in {"##", "%%"}
    pattern = operation.lstrip("#%").strip("\"'")
    compiled = _pattern(pattern, anchor="")
    if compiled is None or len(text) > 4096:
        return UNKNOWN
    cuts = range(len(text) + 1)
    if operation[0] == "#":
        order = reversed(cuts) if greedy else cuts
        return next((text[cut:] for cut in order if compiled.fullmatch(text[:cut])), text)
    order = cuts if greedy else reversed(cuts)
    return next((text[:cut] for cut in order if compiled.fullmatch(text[cut:])), text)


_OPERATIONS = {
    ":": _sliced, ",": _cased, "^": _cased, "~": _cased, "/": _replaced, "#": _trimmed, "%": _trimmed,
}  # fmt: skip


def fields(text: str) -> list[str]:
    """Return the fields of a marked word: braces expanded, then split where an expansion had blanks."""
    words = _braced(text) if OPEN in text else [text]
    return [
        part for word in words for part in (word.split(GAP) if GAP in word else [word]) if part or word == ""
    ]


def _braced(text: str) -> list[str]:
    words, done = [text], 0
    while done < len(words) and len(words) < MAX_FIELDS:
        parts = _one_brace(words[done])
        words[done : done + 1] = parts
        done += len(parts) == 1
    return words[:MAX_FIELDS]


def _one_brace(word: str) -> list[str]:
    """Expand the innermost brace of `word`, or return it with the marks of a lone brace undone."""
    close = word.find(CLOSE)
    start = word.rfind(OPEN, 0, close) if close >= 0 else -1
    if start < 0:
        return [word.replace(OPEN, "{").replace(CLOSE, "}").replace(COMMA, ",")]
    inner = word[start + 1 : close]
    choices = inner.split(COMMA) if COMMA in inner else _sequence(inner)
    if not choices:
        return [word[:start] + "{" + inner + "}" + word[close + 1 :]]
    return [word[:start] + choice + word[close + 1 :] for choice in choices[:MAX_FIELDS]]


def _sequence(inner: str) -> list[str]:
    match = re.fullmatch(r"(-?\d{1,9})\.\.(-?\d{1,9})", inner)
    if match is None:
        return []
    first, last = int(match[1]), int(match[2])
    step = 1 if last >= first else -1
    return [str(number) for number in range(first, last + step, step)[:MAX_FIELDS]]
