"""Decisions that travel signed: the reviewer's own key says what was decided, and the engine checks it."""

from __future__ import annotations

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from engine.common.errors import Problem
from engine.models import Signature
from engine.models.api import Decided

CONTEXT = b"pratique decided v1\n"
"""Stands before what is signed, so that no signature made for something else fits."""


def covered(id: str, decided: Decided) -> bytes:
    """Return what is signed: the canonical JSON (RFC 8785) of what is decided, and about which submission."""
    said = decided.model_dump(mode="json", exclude={"signature"})
    return CONTEXT + rfc8785.dumps({"submission": id, **said})


def seal(id: str, decided: Decided, key: Ed25519PrivateKey) -> Decided:
    """Return what is decided with its signature."""
    public = key.public_key().public_bytes_raw().hex()
    signature = Signature(key=public, value=key.sign(covered(id, decided)).hex())
    return decided.model_copy(update={"signature": signature})


def check(id: str, decided: Decided, key: str) -> None:
    """Let pass what is signed with the private key of `key`.

    Raises:
        Problem: it is not signed, or with another key, or for something else.
    """
    if decided.signature is None:
        raise Problem(403, "decisions of this token have to be signed", hint="Sign with the token's key.")
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    try:
        public.verify(bytes.fromhex(decided.signature.value), covered(id, decided))
    except InvalidSignature:
        raise Problem(403, "the signature is not that of this token's key") from None
