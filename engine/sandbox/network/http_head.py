"""The strict syntax of HTTP/1.1 heads: what two readers could frame or route differently is refused. Pure.

h11 also reads bare line feeds and folded lines, which other readers take differently (RFC 9112, 2.2 and 5.2).
"""

from __future__ import annotations

import asyncio
import re

import h11

Headers = list[tuple[bytes, bytes]]

_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_TEXT = rb"[\t\x20-\x7e\x80-\xff]*"
_START = re.compile(rb"(?:%b [\x21-\x7e]+ HTTP/1\.[01]|HTTP/1\.[01] [1-5][0-9]{2}(?: %b)?)" % (_TOKEN, _TEXT))
_FIELD = re.compile(rb"(%b):[ \t]*(%b)" % (_TOKEN, _TEXT))
_LENGTH = re.compile(rb"[0-9]{1,15}")
_ORIGIN_FORM = re.compile(rb"/(?!/)[\x21-\x7e]*")
_FRAMING = (b"content-length", b"transfer-encoding")


class MalformedHead(h11.RemoteProtocolError):
    """A head that is not strict HTTP/1.1, or that does not say in exactly one way where its body ends."""


async def read_head(reader: asyncio.StreamReader) -> bytes:
    """Return the bytes of one head, checked; nothing at the end of the stream. Raises MalformedHead."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as end:
        if not end.partial:
            return b""
        raise MalformedHead("the head has no end") from None
    except asyncio.LimitOverrunError:
        raise MalformedHead("the head is too long") from None
    check_head(head)
    return head


def check_head(head: bytes) -> None:
    """Check a head, to the empty line that ends it. Raises MalformedHead."""
    start, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    fields = [_FIELD.fullmatch(line) for line in lines]
    if not _START.fullmatch(start) or not all(fields):
        raise MalformedHead("the head is not HTTP/1.1")
    named = [(found[1].lower(), found[2].strip(b" \t")) for found in fields if found]
    _check_framing(named, chunks=b"HTTP/1.1" in start)
    if sum(name == b"host" for name, _ in named) > 1:
        raise MalformedHead("the head has several Host headers")


def _check_framing(fields: Headers, *, chunks: bool) -> None:
    framing = [field for field in fields if field[0].replace(b"_", b"-") in _FRAMING]
    if len(framing) > 1:
        raise MalformedHead("the head says more than once where its body ends")
    for name, value in framing:
        length = name == b"content-length" and _LENGTH.fullmatch(value)
        chunked = name == b"transfer-encoding" and chunks and value.lower() == b"chunked"
        if not length and not chunked:
            raise MalformedHead("the head does not say clearly where its body ends")


def framing(headers: Headers) -> Headers:
    """Return what a checked head says about the end of its body: one header, or none."""
    return [(name.lower(), value) for name, value in headers if name.lower() in _FRAMING]


def is_origin_form(target: bytes) -> bool:
    """Return whether a target is a path of the host that it is sent to, to whoever reads it.

    `//name/` and a backslash are the start of another authority to some readers (WHATWG URL).
    """
    return bool(_ORIGIN_FORM.fullmatch(target)) and not set(target) & set(b"\\#")
