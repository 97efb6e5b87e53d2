"""Decisions of a client that has a key are signed with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.common.errors import Problem
from engine.models.api import DecisionRequest

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def signed(id: str, decision: DecisionRequest, key: Ed25519PrivateKey | None) -> DecisionRequest:
    """Return a decision, signed if there is a key.

    Raises:
        Problem: what makes signatures is not installed.
    """
    if key is None:
        return decision
    try:
        from engine.principals.signed_decision import sign  # noqa: PLC0415  only who signs needs it
    except ImportError as error:
        hint = "Type: pip install 'pratique-client[signing]'"
        raise Problem(500, f"decisions cannot be signed: {error.name} is missing", hint=hint) from None
    return sign(id, decision, key)
