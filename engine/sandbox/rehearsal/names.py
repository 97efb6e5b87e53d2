"""HostNames of a rehearsal: every name has an address of its own, and every address a name. Pure.

Questions are read, and answers written, as RFC 1035 says; what cannot be read is not answered.
"""

from __future__ import annotations

import ipaddress
import struct
from typing import NamedTuple

_HEAD = struct.Struct(">6H")
_A, _CLASS = 1, 1
_ANSWER = 0x8180
_FIRST = int(ipaddress.IPv4Address("198.18.0.1"))
_MOST = 4000
"""How many names get an address of their own; further ones share the last."""


class Question(NamedTuple):
    """What was asked of a name server."""

    id: int
    name: str
    type: int
    raw: bytes
    """The question as it was sent, which an answer repeats."""


def read_question(data: bytes) -> Question | None:
    """Return the first question of a message; None where there is none."""
    if len(data) < _HEAD.size + 5:
        return None
    id, flags, questions, *_ = _HEAD.unpack_from(data)
    labels, at = [], _HEAD.size
    if flags & 0x8000 or not questions:
        return None
    while at < len(data) and data[at]:
        size = data[at]
        if size > 63 or at + 1 + size >= len(data):
            return None
        labels.append(data[at + 1 : at + 1 + size].decode("latin-1"))
        at += 1 + size
    if at + 5 > len(data) or not labels:
        return None
    (kind,) = struct.unpack_from(">H", data, at + 1)
    return Question(id, ".".join(labels)[:253], kind, data[_HEAD.size : at + 5])


class HostNames:
    """The addresses that names were given."""

    def __init__(self) -> None:
        self._addresses: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def address(self, name: str) -> str:
        """Return the address of a name; one that is an address already keeps it."""
        known = self._addresses.get(name.lower())
        if known is None:
            number = min(len(self._addresses), _MOST)
            known = str(ipaddress.IPv4Address(_FIRST + number))
            if number < _MOST:
                self._addresses[name.lower()] = known
                self._names[known] = name.lower()
        return known

    def name(self, address: str) -> str:
        """Return the name of an address, or the address itself."""
        return self._names.get(address, address)

    def answer(self, question: Question) -> bytes:
        """Return an answer: an address of IPv4, and nothing for other types."""
        found = b""
        if question.type == _A:
            packed = ipaddress.IPv4Address(self.address(question.name)).packed
            found = struct.pack(">HHHIH", 0xC00C, _A, _CLASS, 60, len(packed)) + packed
        return _HEAD.pack(question.id, _ANSWER, 1, bool(found), 0, 0) + question.raw + found
