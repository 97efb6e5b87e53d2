"""Finds decoys in what code sent, also where they were encoded, compressed or cut up. Pure and bounded.

Every layer that can be undone is undone, to a depth; in each, every secret is looked for in the forms that
no layer undoes: shifted base64, reversed, rotated, spaced out, combined with one byte.
"""

from __future__ import annotations

import base64
import codecs
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from engine.sandbox.rehearsal.decoding import MOST_BYTES, layers

_LENGTH = 14
"""How many bytes of a secret are looked for: fewer occur by chance, and more let a truncated one escape."""


class Found(NamedTuple):
    """A decoy in some bytes."""

    subject: str
    how: tuple[str, ...]
    """How it was hidden, the outermost first; empty: not at all."""


class DecoyFinder:
    """Knows the decoys of one rehearsal in all their forms."""

    def __init__(self, values: Mapping[str, Iterable[str]]) -> None:
        self._plain: list[tuple[str, bytes]] = []
        self._forms: list[tuple[str, str, bytes]] = []
        self._steps: list[tuple[str, bytes]] = []
        for subject, texts in values.items():
            for piece in (piece for text in texts for piece in _pieces(text)):
                self._plain.append((subject, piece))
                self._forms += ((subject, form, needle) for form, needle in _forms(piece))
                self._steps.append((subject, _differences(piece)))

    def find(self, data: bytes) -> tuple[Found, ...]:
        """Return each decoy that is in the data, with the shortest way in which it was hidden."""
        found: dict[str, tuple[str, ...]] = {}
        for how, layer in layers(data[:MOST_BYTES]):
            for subject, form in self._in_layer(layer):
                way = (*how, form) if form else how
                if subject not in found or len(way) < len(found[subject]):
                    found[subject] = way
        return tuple(Found(subject, how) for subject, how in found.items())

    def _in_layer(self, layer: bytes) -> Iterator[tuple[str, str]]:
        for subject, needle in self._plain:
            if needle in layer:
                yield subject, ""
        for subject, form, needle in self._forms:
            if needle in layer:
                yield subject, form
        steps = _differences(layer)
        for subject, needle in self._steps:
            at = steps.find(needle)
            if at >= 0 and not layer.startswith(tuple(one for _, one in self._plain), at):
                yield subject, "xor"


def _pieces(text: str) -> Iterator[bytes]:
    """Yield the beginning and the end of a secret behind what all of its kind begin with."""
    data = text.encode()
    tail = data[-_LENGTH:]
    middle = data[len(data) // 2 - _LENGTH // 2 :][:_LENGTH]
    yield from dict.fromkeys(one for one in (middle, tail) if len(one) == _LENGTH)


def _forms(piece: bytes) -> Iterator[tuple[str, bytes]]:
    yield "reversed", piece[::-1]
    yield "rot13", codecs.encode(piece.decode("latin-1"), "rot13").encode("latin-1")
    for name, encoded in _shifted(piece):
        yield name, encoded
        yield f"reversed {name}", encoded[::-1]
    yield "hex", piece.hex().encode()
    yield "hex", piece.hex().upper().encode()
    yield "reversed hex", piece.hex()[::-1].encode()
    yield "hex", b":".join(b"%02x" % byte for byte in piece)
    yield "hex", b"\\x".join(b"%02x" % byte for byte in piece)
    yield "hex", b" ".join(b"%02x" % byte for byte in piece)
    yield "decimal", b",".join(b"%d" % byte for byte in piece)
    yield "decimal", b", ".join(b"%d" % byte for byte in piece)
    yield "url-encoding", b"".join(b"%%%02X" % byte for byte in piece)
    yield "UTF-16", piece.decode("latin-1").encode("utf-16-le")
    yield "spaced out", b" ".join(piece[index : index + 1] for index in range(len(piece)))


def _shifted(piece: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the part of an encoding that does not depend on what stands before and after."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + piece)
        inner = encoded[4 * (shift > 0) : len(encoded) - 4]
        yield "base64", inner
        yield "base64", inner.translate(bytes.maketrans(b"+/", b"-_"))
    for shift in range(5):
        encoded = base64.b32encode(b"\0" * shift + piece)
        inner = encoded[8 * (shift > 0) : len(encoded) - 8]
        yield "base32", inner
        yield "base32", inner.lower()


def _differences(data: bytes) -> bytes:
    """Return each byte combined with the next: one byte combined with all of them changes nothing."""
    if len(data) < 2:
        return b""
    number = int.from_bytes(data)
    return (number ^ (number >> 8)).to_bytes(len(data))[1:]
