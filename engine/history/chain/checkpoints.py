"""Checkpoints: how many records there were, their Merkle root, and a signature over both.

The text is a signed note as transparency logs use it (C2SP tlog-checkpoint): origin, size, root in base64,
then the lines `head` (the hash of the last record) and `at`, a blank line, and the Ed25519 signature.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from engine.common.signatures import is_valid

ORIGIN = "pratique/audit"
_ED25519 = b"\x01"
_NOTE = re.compile(
    rf"(?P<text>{ORIGIN}\n(?P<size>[0-9]{{1,18}})\n(?P<root>[A-Za-z0-9+/=]{{44}})\n"
    rf"head (?P<head>[0-9a-f]{{64}})\nat (?P<at>[0-9TZ:.-]{{20,40}})\n)\n"
    rf"\u2014 {ORIGIN} (?P<signature>[A-Za-z0-9+/=]+)\n"
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The content of a signed note."""

    size: int
    root: bytes
    head: bytes
    at: str
    key: bytes
    """Which key signed: the first four bytes of its hash."""
    signature: bytes
    text: bytes
    """The bytes that are signed."""

    def is_signed_by(self, key: Ed25519PublicKey) -> bool:
        """Return whether this key made the signature."""
        return key_id(key) == self.key and is_valid(self.signature, self.text, key)


def sign(key: Ed25519PrivateKey, size: int, root: bytes, head: bytes, at: str) -> str:
    """Return the signed note over a tree."""
    text = f"{ORIGIN}\n{size}\n{base64.b64encode(root).decode()}\nhead {head.hex()}\nat {at}\n"
    signed = base64.b64encode(key_id(key.public_key()) + key.sign(text.encode())).decode()
    return f"{text}\n\u2014 {ORIGIN} {signed}\n"


def parse(note: str) -> Checkpoint | None:
    """Return the checkpoint in a note, or None where it is none. The signature is not verified."""
    match = _NOTE.fullmatch(note)
    if match is None:
        return None
    try:
        root = base64.b64decode(match["root"], validate=True)
        signed = base64.b64decode(match["signature"], validate=True)
    except binascii.Error:
        return None
    return Checkpoint(
        size=int(match["size"]),
        root=root,
        head=bytes.fromhex(match["head"]),
        at=match["at"],
        key=signed[:4],
        signature=signed[4:],
        text=match["text"].encode(),
    )


def key_id(key: Ed25519PublicKey) -> bytes:
    """Return the four bytes by which a note names its key."""
    return hashlib.sha256(ORIGIN.encode() + b"\n" + _ED25519 + key.public_bytes_raw()).digest()[:4]
