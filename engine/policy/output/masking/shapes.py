"""Secrets that are known by their shape: private keys, web tokens, passwords in addresses."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from itertools import zip_longest

from engine.policy.output.masking.formats import KNOWN, passes
from engine.policy.output.masking.spans import MaskedSpan

MOST_KEY = 20_000
"""Characters of a private key between its first and its last line."""
_MARK = re.compile(r"-{4,5} ?(BEGIN|END) ([A-Z0-9 ]{0,40}+)-{4,5}")
_LINE = re.compile(
    r"""[ \t>|#*"'`+,\\;(\[]{0,40}+(?:[A-Za-z-]{2,20}+: [^\n]{0,200}+|[A-Za-z0-9+/=]{1,200}+)?"""
    r"""[ \t"'`+,\\;)\]]{0,40}+(?:\r?\n|\Z)"""
)
_PUTTY = re.compile(r"Private-Lines: [0-9]{1,4}+\s{1,4}+(?:[A-Za-z0-9+/=]{1,80}+(?:\s{1,4}+|\Z))*+")
_DOTTED = re.compile(r"[A-Za-z0-9_.-]*+")
_TELEGRAM = re.compile(r"(?<![0-9])[0-9]{8,10}+:AA[A-Za-z0-9_-]{32,36}+")
_DISCORD = re.compile(
    r"(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{22,27}+\.[A-Za-z0-9_-]{6,7}+\.[A-Za-z0-9_-]{27,45}+"
)
_AZURE = re.compile(r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,36}+")
_AZURE_LONG = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{76}(?:AZDO[A-Za-z0-9]{4}|\+ASt[A-Za-z0-9+/]{6}==)")
_MAILCHIMP = re.compile(r"(?<![0-9a-fA-F])[0-9a-f]{32}+-us[0-9]{1,2}+")
_BEARER = re.compile(r"(?i:bearer|token)\s{1,3}+([A-Za-z0-9._~+/=-]{16,4000}+)")
_BASIC = re.compile(r"(?i:basic)\s{1,3}+([A-Za-z0-9+/_-]{6,2000}+={0,2}+)")
_PGPASS = re.compile(
    r"(?<![^\s\"'])[^:\s#\"']{1,200}+:(?:[0-9]{4,5}+|\*):[^:\s]{1,100}+:[^:\s]{1,100}+:([^\s\"']{1,500}+)(?![^\s\"'])"
)
_WHOLE = (
    (_PUTTY, "private key"),
    (_TELEGRAM, "token"),
    (_DISCORD, "token"),
    (_AZURE, "secret"),
    (_AZURE_LONG, "key"),
    (_MAILCHIMP, "key"),
)
_ADDRESS = re.compile(r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{1,40}+)://([^\s\"'<>`]{1,2000}+)")
_WEB = frozenset({"http", "https", "ws", "wss", "git", "ssh", "ftp", "ftps", "sftp"})
_DRIVER = re.compile(r"(?<![^\s\"'=])[^\s:@\"'=/]{1,100}+:([^\s\"']{1,300}?)@(?:tcp|unix)\(")
_ORACLE = re.compile(r"(?i)jdbc:oracle:[a-z]{2,8}+:[^\s/@\"']{1,100}+/([^\s@\"']{1,200}+)@")


def shaped(text: str) -> Iterator[MaskedSpan]:
    """Yield what has the shape of a secret."""
    yield from private_keys(text)
    for pattern, kind in _WHOLE:
        yield from (MaskedSpan(*found.span(), kind, KNOWN) for found in pattern.finditer(text))
    yield from _web_tokens(text)
    yield from _headers(text)
    yield from _addresses(text)


def private_keys(text: str) -> Iterator[MaskedSpan]:
    """Yield private keys in armour, to their last line, or as far as there are lines of a key."""
    marks = [mark for mark in _MARK.finditer(text) if "PRIVATE KEY" in mark[2]]
    for mark, following in zip_longest(marks, marks[1:]):
        if mark[1] == "END":
            continue
        last = following.start() if following else len(text)
        if following and following[1] == "END" and last - mark.end() <= MOST_KEY:
            yield MaskedSpan(mark.start(), following.end(), "private key", KNOWN)
        else:
            yield MaskedSpan(mark.start(), _last_line(text, mark.end(), last), "private key", KNOWN)


def open_key(text: str) -> int | None:
    """Return where a private key begins whose last line has not come yet, None where there is none."""
    last = None
    for mark in _MARK.finditer(text, max(0, len(text) - MOST_KEY)):
        if "PRIVATE KEY" in mark[2]:
            last = mark.start() if mark[1] == "BEGIN" else None
    return last


def _last_line(text: str, place: int, end: int) -> int:
    """Return where the lines of a key end whose last line is missing."""
    most = min(end, place + MOST_KEY)
    while place < most and (line := _LINE.match(text, place, most)) and line.end() > place:
        place = line.end()
    return place


def _web_tokens(text: str) -> Iterator[MaskedSpan]:
    """Yield JSON Web Tokens (RFC 7519), encrypted ones too. Every character is read once."""
    place = text.find("eyJ")
    while place >= 0:
        run = _DOTTED.match(text, place)
        end = run.end() if run else place + 3
        parts = text[place:end].split(".")
        if len(parts) >= 3 and all(parts[:2]) and _is_header(parts[0]):
            yield MaskedSpan(place, end, "web token", KNOWN)
        place = text.find("eyJ", end)


def _is_header(part: str) -> bool:
    head = part[:4000]
    try:
        plain = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4))
    except ValueError:
        return len(part) > 15
    return b'"' in plain


def _headers(text: str) -> Iterator[MaskedSpan]:
    for found in _BEARER.finditer(text):
        if passes("random", found[1]):
            yield MaskedSpan(*found.span(1), "token")
    for found in _BASIC.finditer(text):
        if ":" in _plain(found[1]):
            yield MaskedSpan(*found.span(1), "password")
    for pattern in (_PGPASS, _DRIVER, _ORACLE):
        yield from (MaskedSpan(*found.span(1), "password") for found in pattern.finditer(text))


def _plain(text: str) -> str:
    cut = text.rstrip("=")
    try:
        return base64.urlsafe_b64decode(
            (cut + "=" * (-len(cut) % 4)).replace("+", "-").replace("/", "_")
        ).decode()
    except ValueError:
        return ""


def _addresses(text: str) -> Iterator[MaskedSpan]:
    """Yield the password, or a token in its place, of `scheme://user:password@host`, with `@` in it too."""
    for found in _ADDRESS.finditer(text):
        span = _in_address(found[1].lower(), found[2], found.start(2))
        if span:
            yield span


def _in_address(scheme: str, rest: str, place: int) -> MaskedSpan | None:
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    user, colon, port = authority.partition(":")
    plain_port = "@" not in authority and (not colon or port.isdecimal() or not port)
    known = scheme in _WEB or scheme == "file"
    at = authority.rfind("@") if known and ("@" in authority or plain_port) else rest.rfind("@")
    if at < 0 or (plain_port and "@" not in authority and (known or not colon)):
        return None
    user, colon, _ = rest[:at].partition(":")
    if colon:
        return MaskedSpan(place + len(user) + 1, place + at, "password") if at > len(user) + 1 else None
    return MaskedSpan(place, place + at, "token") if len(user) >= 16 and passes("mixed", user) else None
