"""Ed25519 signatures."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def is_valid(signature: bytes, signed: bytes, key: Ed25519PublicKey) -> bool:
    """Return whether the private key of `key` made the signature over these bytes."""
    try:
        key.verify(signature, signed)
    except InvalidSignature:
        return False
    return True
