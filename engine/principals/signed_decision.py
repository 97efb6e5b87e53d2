"""Signed decisions: the reviewer signs a decision with their own key, and the engine verifies it."""

from __future__ import annotations

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from engine.common.errors import Problem
from engine.common.signatures import is_valid
from engine.models import Signature
from engine.models.api import DecisionRequest

CONTEXT = b"pratique decided v1\n"
"""Prefix of the payload, so that a signature made for another purpose does not verify."""


def signing_payload(id: str, decision: DecisionRequest) -> bytes:
    """Return the bytes to sign: the canonical JSON (RFC 8785) of a decision and the submission's id."""
    fields = decision.model_dump(mode="json", exclude={"signature"})
    return CONTEXT + rfc8785.dumps({"submission": id, **fields})


def sign(id: str, decision: DecisionRequest, key: Ed25519PrivateKey) -> DecisionRequest:
    """Return a decision with its signature."""
    public = key.public_key().public_bytes_raw().hex()
    signature = Signature(key=public, value=key.sign(signing_payload(id, decision)).hex())
    return decision.signed(signature)


def verify(id: str, decision: DecisionRequest, key: str) -> None:
    """Verify that a decision is signed with the private key of `key`.

    Raises:
        Problem: it is not signed, or with another key, or for another decision.
    """
    if decision.signature is None:
        raise Problem(403, "decisions of this token must be signed", hint="Sign with the token's key.")
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    if not is_valid(bytes.fromhex(decision.signature.value), signing_payload(id, decision), public):
        raise Problem(403, "the signature is not valid for this token's key")
