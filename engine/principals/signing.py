"""Decisions signed over their canonical bytes; verifying needs the public key alone."""

from __future__ import annotations

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from engine.models import Decision, Signature

CONTEXT = b"pratique decision v1\n"
"""The prefix of what is signed, so that no signature for another purpose is valid here."""


def canonical_bytes(decision: Decision) -> bytes:
    """Return what is signed: the canonical JSON (RFC 8785) of all of a decision but its signature."""
    return CONTEXT + rfc8785.dumps(decision.model_dump(mode="json", exclude={"signature"}))


def sign(decision: Decision, key: Ed25519PrivateKey) -> Decision:
    """Return the decision with its signature."""
    value = key.sign(canonical_bytes(decision)).hex()
    signature = Signature(key=key.public_key().public_bytes_raw().hex(), value=value)
    return decision.signed(signature)


def verify(decision: Decision, key: str = "") -> bool:
    """Return whether a decision is as it was signed, by `key` (hexadecimal) where one is given."""
    signature = decision.signature
    if signature is None or (key and signature.key != key):
        return False
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.key))
    try:
        public.verify(bytes.fromhex(signature.value), canonical_bytes(decision))
    except InvalidSignature:
        return False
    return True
