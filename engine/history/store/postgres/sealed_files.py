"""Files that several engines share: in the database, sealed with a key derived from the history's own."""

from __future__ import annotations

import hashlib
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from engine.history.errors import HistoryError

NONCE = 12
"""Bytes of chance before each sealed file."""


def seal(key: Ed25519PrivateKey, name: str, content: bytes) -> bytes:
    """Return a content that only engines with the key can read, under this name alone."""
    nonce = os.urandom(NONCE)
    return nonce + _cipher(key).encrypt(nonce, content, name.encode())


def unseal(key: Ed25519PrivateKey, name: str, sealed: bytes) -> bytes:
    """Return what was sealed.

    Raises:
        HistoryError: it was changed, or sealed with another key or under another name.
    """
    try:
        return _cipher(key).decrypt(sealed[:NONCE], sealed[NONCE:], name.encode())
    except InvalidTag:
        raise HistoryError(
            f"The shared file {name} in the database was changed, or another key sealed it",
            hint="Type: pratique audit verify; each engine needs the same pratique.key",
        ) from None


def _cipher(key: Ed25519PrivateKey) -> AESGCM:
    return AESGCM(hashlib.sha256(b"pratique shared files\0" + key.private_bytes_raw()).digest())
