"""A decision that its token's key has to sign: verified for this submission, with every field."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Grant, Permissions
from engine.models.api import DecisionRequest
from engine.principals.signed_decision import CONTEXT, sign, signing_payload, verify

KEY = Ed25519PrivateKey.generate()
PUBLIC = KEY.public_key().public_bytes_raw().hex()
DECISION = DecisionRequest(
    outcome=DecisionOutcome.APPROVED, digest="0" * 64, grant=Grant(permissions=Permissions())
)


def test_a_signed_decision_is_verified_by_the_public_key() -> None:
    """It names the key, and holds after a round trip through JSON."""
    signed = DecisionRequest.model_validate_json(sign("s-1", DECISION, KEY).model_dump_json())
    verify("s-1", signed, PUBLIC)
    assert signed.signature
    assert PUBLIC == signed.signature.key


def test_what_is_signed_begins_with_what_it_is_for() -> None:
    """The id and all fields follow, in canonical order, without the signature."""
    payload = signing_payload("s-1", sign("s-1", DECISION, KEY))
    assert signing_payload("s-1", DECISION) == payload
    assert payload.startswith(CONTEXT + b'{"digest":"000')
    assert b'"submission":"s-1"' in payload
    assert b"signature" not in payload


def test_a_decision_without_a_signature_is_refused() -> None:
    """With what to do."""
    with pytest.raises(Problem, match="must be signed") as refused:
        verify("s-1", DECISION, PUBLIC)
    assert (403, "Sign with the token's key.") == (refused.value.status, refused.value.hint)


@pytest.mark.parametrize(
    ("id", "change", "key"),
    [
        ("s-2", {}, PUBLIC),
        ("s-1", {"outcome": DecisionOutcome.DENIED}, PUBLIC),
        ("s-1", {"digest": "1" * 64}, PUBLIC),
        ("s-1", {"reason": Untrusted("x")}, PUBLIC),
        ("s-1", {"grant": None}, PUBLIC),
        ("s-1", {}, Ed25519PrivateKey.generate().public_key().public_bytes_raw().hex()),
    ],
)
def test_a_signature_for_something_else_is_refused(id: str, change: dict[str, object], key: str) -> None:
    """Another submission, another field, or another key."""
    signed = sign("s-1", DECISION, KEY).model_copy(update=change)
    with pytest.raises(Problem, match="not valid") as refused:
        verify(id, signed, key)
    assert 403 == refused.value.status
