"""Decisions and pre-approvals signed over their canonical bytes; verifying needs the public key alone."""

from __future__ import annotations

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from engine.common.signatures import is_valid
from engine.models import Decision, PreApproval, Signature
from engine.models.decision import DECISION_CONTEXT, PRE_APPROVAL_CONTEXT
from engine.models.past_decisions import ADOPTION_CONTEXT, PolicyAdoption


def canonical_bytes(decision: Decision) -> bytes:
    """Return what is signed: the canonical JSON (RFC 8785) of all of a decision but its signature."""
    return DECISION_CONTEXT + rfc8785.dumps(decision.model_dump(mode="json", exclude={"signature"}))


def pre_approval_bytes(pre_approval: PreApproval) -> bytes:
    """Return what is signed of a pre-approval: all that does not change with its use."""
    fixed = pre_approval.model_dump(mode="json", exclude={"signature", "used", "revoked"})
    return PRE_APPROVAL_CONTEXT + rfc8785.dumps(fixed)


def sign(decision: Decision, key: Ed25519PrivateKey) -> Decision:
    """Return the decision with its signature."""
    return decision.signed(_signature(canonical_bytes(decision), key))


def sign_pre_approval(pre_approval: PreApproval, key: Ed25519PrivateKey) -> PreApproval:
    """Return the pre-approval with its signature."""
    return pre_approval.signed(_signature(pre_approval_bytes(pre_approval), key))


def adoption_bytes(adoption: PolicyAdoption) -> bytes:
    """Return what is signed of the adoption of a rule: all but its signature."""
    return ADOPTION_CONTEXT + rfc8785.dumps(adoption.model_dump(mode="json", exclude={"signature"}))


def sign_adoption(adoption: PolicyAdoption, key: Ed25519PrivateKey) -> PolicyAdoption:
    """Return the adoption of a rule with its signature."""
    return adoption.signed(_signature(adoption_bytes(adoption), key))


def verify(decision: Decision, key: str) -> bool:
    """Return whether a decision is as it was signed with the private key of `key` (hexadecimal)."""
    return is_signed(decision.signature, canonical_bytes(decision), key)


def verify_pre_approval(pre_approval: PreApproval, key: str) -> bool:
    """Return whether a pre-approval is as it was signed with the private key of `key` (hexadecimal)."""
    return is_signed(pre_approval.signature, pre_approval_bytes(pre_approval), key)


def is_signed(signature: Signature | None, signed: bytes, key: str) -> bool:
    """Return whether a signature over these bytes is that of the private key of `key` (hexadecimal)."""
    if signature is None or signature.key != key:
        return False
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    return is_valid(bytes.fromhex(signature.value), signed, public)


def _signature(signed: bytes, key: Ed25519PrivateKey) -> Signature:
    return Signature(key=key.public_key().public_bytes_raw().hex(), value=key.sign(signed).hex())
