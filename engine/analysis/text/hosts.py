"""Addresses of hosts that are written so that nobody recognises them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.positions import Lines
from engine.analysis.text.rules import NUMBER_HOST
from engine.models import Violation

_NUMBER = re.compile(
    r"(?i)\b(?:https?|ftps?|wss?)://(?:[\w.%+-]+(?::[^@\s/'\"]*)?@)?"
    r"(0x[0-9a-f]+|\d+|(?=[\dx.]*(?:\b0[0-7]|0x))(?:0x[0-9a-f]{1,8}|\d{1,10})(?:\.(?:0x[0-9a-f]{1,8}|\d{1,10})){1,3})"
    r"(?=[:/?#\s'\"`)]|$)"
)
_MAY_BE = re.compile(r"://(?:[\w.%+-]+(?::[^@\s/'\"]*)?@)?\d")
"""What every such address has in it: cheap to look for, as it begins with signs that are rare."""


def check(source: str, lines: Lines) -> Iterator[Violation]:
    """Yield the hosts of URLs that are numbers, or whose parts are octal or hexadecimal."""
    if not _MAY_BE.search(source):
        return
    for found in _NUMBER.finditer(source):
        span = lines.span(found.start(1), found.end(1))
        yield NUMBER_HOST.violation(span, f"`{found[1][:40]}` is an address of a host")
