"""Signed heads: after every commit, how many records there are and the hash of the last one, signed.

The chain binds each record to all before it, so the newest head covers every record. The text is a signed
note of its own kind: no checkpoint can be presented as a head, so that older ends are not left lying about.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from engine.common.signatures import is_valid

ORIGIN = "pratique/head"
_NOTE = re.compile(
    rf"(?P<text>{ORIGIN}\n(?P<size>[0-9]{{1,18}})\nhead (?P<head>[0-9a-f]{{64}})\n"
    rf"at (?P<at>[0-9TZ:.-]{{20,40}})\n"
    rf"key (?P<key>[0-9a-f]{{64}})\n)\n\u2014 {ORIGIN} (?P<signature>[A-Za-z0-9+/=]{{88}})\n"
)


@dataclass(frozen=True, slots=True)
class SignedHead:
    """The content of a signed head."""

    size: int
    head: bytes
    """The hash of the last record."""
    at: str
    key: str
    """The public key that it names, in hexadecimal."""
    signature: bytes
    text: bytes
    """The bytes that are signed."""

    def is_signed_by(self, key: Ed25519PublicKey) -> bool:
        """Return whether this key made the signature."""
        return key.public_bytes_raw().hex() == self.key and is_valid(self.signature, self.text, key)


def contradiction_of_end(note: str | None, size: int, last: bytes, key: Ed25519PublicKey) -> str:
    """Return what contradicts that `key` signed `size` records up to the hash `last`; empty for nothing."""
    if note is None and size == 0:
        return ""
    signed = parse_head(note or "")
    if signed is None or not signed.is_signed_by(key):
        return f"the signature of the last of {size} records was removed or changed"
    if found := _difference(signed, size, last):
        return f"{found}: the history was signed with {signed.size} at {signed.at}"
    return ""


def _difference(signed: SignedHead, size: int, last: bytes) -> str:
    if size > signed.size:
        return f"record {signed.size + 1} was added behind the signed end"
    if size < signed.size:
        return missing(size + 1, signed.size)
    return not_signed(size) if signed.head != last else ""


def missing(first: int, last: int) -> str:
    """Say that records are missing."""
    return f"records {first} to {last} are missing" if last > first else f"record {last} is missing"


def not_signed(seq: int) -> str:
    """Say that a record is another one than was signed."""
    return f"record {seq} is not the one that was signed"


class HeadSigner:
    """Signs heads with one key."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._sign = key.sign
        self._name = key.public_key().public_bytes_raw().hex()

    def note(self, size: int, head: bytes, at: str) -> str:
        """Return the signed head of a chain."""
        text = f"{ORIGIN}\n{size}\nhead {head.hex()}\nat {at}\nkey {self._name}\n"
        return f"{text}\n\u2014 {ORIGIN} {base64.b64encode(self._sign(text.encode())).decode()}\n"


def parse_head(note: str) -> SignedHead | None:
    """Return the head in a note, or None where it is none. The signature is not verified."""
    match = _NOTE.fullmatch(note)
    if match is None:
        return None
    try:
        signature = base64.b64decode(match["signature"], validate=True)
    except binascii.Error:
        return None
    return SignedHead(
        size=int(match["size"]),
        head=bytes.fromhex(match["head"]),
        at=match["at"],
        key=match["key"],
        signature=signature,
        text=match["text"].encode(),
    )
