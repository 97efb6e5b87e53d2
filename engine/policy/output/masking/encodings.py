"""Texts as they are meant: escapes of JSON, source code and addresses undone, base64 and hex decoded."""

from __future__ import annotations

import base64
import html
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

MOST_LEVELS = 4
"""How often escapes are undone: JSON in JSON in an address."""
_ESCAPE = re.compile(
    r"\\(?:u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|\r?\n|[nrtabfv0'\"\\/`$])"
    r"|%[0-9a-fA-F]{2}|&(?:quot|amp|lt|gt|apos|nbsp|#[0-9]{1,6}|#[xX][0-9a-fA-F]{1,6});"
    r"|\x1b\[[0-9;?]{0,20}[A-Za-z]"
)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_RUN = re.compile(
    r"(?:[A-Za-z0-9+/]{40,200}+\r?\n[ \t]{0,16}+)++[A-Za-z0-9+/]*+={0,2}+|[A-Za-z0-9+/_-]{16,}+={0,2}+"
)
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){12,}+")
_BLANKS = re.compile(r"\s+")
_PRINTED = bytes(range(32, 127)) + b"\t\r\n"


@dataclass(frozen=True, slots=True)
class View:
    """A text with its escapes undone, and for each of its characters where it comes from."""

    text: str
    places: array[int] | None = None

    def place(self, index: int) -> int:
        """Return where the character of this index comes from in the text as it was printed."""
        return index if self.places is None else self.places[index]


def views(text: str) -> Iterator[View]:
    """Yield a text as printed, and with its escapes undone once, twice and so on."""
    view = View(text)
    yield view
    for _ in range(MOST_LEVELS):
        undone = _undone(view)
        if undone is None:
            return
        view = undone
        yield view


def _undone(view: View) -> View | None:
    parts: list[str] = []
    places = array("q")
    last = 0
    for found in _ESCAPE.finditer(view.text):
        meant = _meant(found[0])
        parts += [view.text[last : found.start()], meant]
        places.extend(_range(view, last, found.start()))
        places.extend([view.place(found.start())] * len(meant))
        last = found.end()
    if not parts:
        return None
    parts.append(view.text[last:])
    places.extend(_range(view, last, len(view.text) + 1))
    return View("".join(parts), places)


def _range(view: View, start: int, end: int) -> range | array[int]:
    return range(start, end) if view.places is None else view.places[start:end]


def _meant(escape: str) -> str:
    """Return what an escape stands for."""
    match escape[0]:
        case "\x1b":
            return ""
        case "%":
            return chr(int(escape[1:], 16))
        case "&":
            return html.unescape(escape)
    digits = escape[2:].strip("{}")
    if escape[1] in "uUx" and digits:
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else ""
    return _LETTERS.get(escape[1], "" if escape[1] in "\r\n" else escape[1])


def decoded(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what base64 and hexadecimal in a text stand for, where that is text, with where it is."""
    for found in _RUN.finditer(text):
        run = _BLANKS.sub("", found[0]).rstrip("=").replace("-", "+").replace("_", "/")
        for shift in range(4):
            if plain := _text_in(_bytes_of(run[shift:])):
                yield found.start(), found.end(), plain
    for found in _HEX.finditer(text):
        if plain := _text_in(bytes.fromhex(found[0])):
            yield found.start(), found.end(), plain


def _bytes_of(run: str) -> bytes:
    whole = run[:-1] if len(run) % 4 == 1 else run
    return base64.b64decode(whole + "=" * (-len(whole) % 4))


def _text_in(content: bytes) -> str:
    """Return the text in bytes, UTF-16 of plain letters too; nothing where most of it is no text."""
    plain = content.replace(b"\0", b"")
    if len(plain) < 8 or len(plain.translate(None, _PRINTED)) * 8 > len(plain):
        return ""
    return plain.decode("utf-8", "replace")
