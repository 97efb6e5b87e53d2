"""Masks secrets in what a host answers. Pure.

How much is held back depends on the lengths of the secrets alone. If it depended on what the answer contains,
a guest could guess a secret piece by piece, and read from the sizes of chunks which guess was right.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

from engine.sandbox.network.http_head import Headers

_LEAST_BYTES = 6
"""Shorter encoded forms of a secret would match ordinary text."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a secret."""

    text: bytes
    margin: int = 0
    """Characters on both sides that hold some bits of the secret."""

    @property
    def size(self) -> int:
        """How many bytes are masked."""
        return len(self.text) + 2 * self.margin


class Redactor:
    """Masks secrets in a response, in every form that `forms_of` knows; the length stays the same."""

    def __init__(self, values: Iterable[bytes]) -> None:
        self._forms = tuple({form for value in values if value for form in forms_of(value)})
        self._hold = max((form.size for form in self._forms), default=1) - 1
        self._seen = self._masked = b""

    @property
    def active(self) -> bool:
        """Whether there is anything to mask."""
        return bool(self._forms)

    def redact(self, data: bytes) -> bytes:
        """Return what may be sent to the guest so far: all but a fixed number of the last bytes."""
        seen, masked = self._seen + data, self._mask(self._seen + data, self._masked + data)
        ready = max(0, len(seen) - self._hold)
        self._seen, self._masked = seen[ready:], masked[ready:]
        return masked[:ready]

    def rest(self) -> bytes:
        """Return what is still held back when the response ends."""
        rest, self._seen, self._masked = self._masked, b"", b""
        return rest

    def whole(self, data: bytes) -> bytes:
        """Return text that is complete, masked."""
        return self._mask(data, data)

    def headers(self, headers: Headers) -> Headers:
        """Return headers without secrets; one whose name holds a secret is left out."""
        lower = [form.text.lower() for form in self._forms]
        kept = (header for header in headers if not any(text in header[0].lower() for text in lower))
        return [(name, self.whole(value)) for name, value in kept]

    def _mask(self, seen: bytes, masked: bytes) -> bytes:
        """Return `masked` with every form that occurs in `seen` masked; forms may overlap."""
        result = bytearray(masked)
        for form in self._forms:
            for at in _occurrences(seen, form.text):
                start, end = max(0, at - form.margin), min(len(seen), at + len(form.text) + form.margin)
                result[start:end] = b"*" * (end - start)
        return bytes(result)


def _occurrences(data: bytes, text: bytes) -> Iterator[int]:
    at = data.find(text)
    while at >= 0:
        yield at
        at = data.find(text, at + 1)


def forms_of(value: bytes) -> frozenset[Form]:
    """Return the ways in which hosts usually repeat a value."""
    text = value.decode("utf-8", "surrogateescape")
    plain = {value, *(each.encode("utf-8", "surrogateescape") for each in (text.lower(), text.upper()))}
    escaped = {*_percent(value), *_json(text), *_html(text), *_hex(value)}
    wide = {text.encode(name, "surrogatepass") for name in ("utf-16-le", "utf-16-be")}
    simple = {Form(one) for one in plain | {form for form in escaped | wide if len(form) >= _LEAST_BYTES}}
    return frozenset(simple | {form for form in _base64(value) if len(form.text) >= _LEAST_BYTES})


def _percent(value: bytes) -> Iterator[bytes]:
    every = "".join(f"%{byte:02X}" for byte in value)
    for form in (quote(value, safe=""), quote(value), quote_plus(value), every):
        yield form.encode()
        yield _lower_digits(form).encode()


def _lower_digits(form: str) -> str:
    head, *parts = form.split("%")
    return "%".join([head, *(part[:2].lower() + part[2:] for part in parts)])


def _json(text: str) -> Iterator[bytes]:
    for ascii_only in (True, False):
        form = json.dumps(text, ensure_ascii=ascii_only)[1:-1].encode("utf-8", "surrogateescape")
        yield form
        yield form.replace(b"/", b"\\/")
    for digits in ("04x", "04X"):
        yield "".join(f"\\u{unit:{digits}}" for unit in _units(text)).encode()


def _units(text: str) -> Iterator[int]:
    wide = text.encode("utf-16-be", "surrogatepass")
    return (int.from_bytes(wide[at : at + 2]) for at in range(0, len(wide), 2))


def _html(text: str) -> Iterator[bytes]:
    for form in (
        html.escape(text),
        html.escape(text, quote=False),
        html.escape(text).replace("&#x27;", "&#39;"),
    ):
        yield form.encode("utf-8", "surrogateescape")


def _hex(value: bytes) -> Iterator[bytes]:
    form = value.hex().encode()
    return iter((form, form.upper()))


def _base64(value: bytes) -> Iterator[Form]:
    """Yield base64 of the value behind any other bytes: which digits are its own depends on their number."""
    for before in range(3):
        digits = base64.b64encode(bytes(before) + value)
        own = digits[-(-8 * before // 6) : 8 * (before + len(value)) // 6]
        for form in (own, own.replace(b"+", b"-").replace(b"/", b"_")):
            yield Form(form, margin=1)
            yield Form(quote(form, safe="").encode(), margin=1)
