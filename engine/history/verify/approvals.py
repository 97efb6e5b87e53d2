"""Whether approvals are signed with the key that an earlier record registers for who gave them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.common.text import visible
from engine.history.chain.chain import canonical_data
from engine.history.errors import HistoryError
from engine.history.verify.source import HistorySource, KeyChange, Row
from engine.models import Decision, DecisionOutcome, PreApproval
from engine.models.decision import DECISION_CONTEXT, PRE_APPROVAL_CONTEXT

DECISIONS = frozenset({"decision.made", "decision.first_approval", "decision.expired"})
SIGNED = DECISIONS | {"pre_approval.created"}
_DECISION = frozenset(Decision.model_fields) - {"signature"}
_PRE_APPROVAL = frozenset(PreApproval.model_fields) - {"signature", "used", "revoked"}


class Approvals:
    """Checks approvals against the keys that are registered in the same history."""

    def __init__(self, source: HistorySource) -> None:
        self._keys: Sequence[KeyChange] = source.reviewer_keys()

    def problem(self, row: Row, data: dict[str, Any]) -> str | None:
        """Return what is wrong with the approval in a record; empty where no key was registered yet."""
        seq, _, type, subject, actor, _, _, _ = row
        made = data if type in DECISIONS else data.get("approval")
        if not isinstance(made, dict):
            return f"record {seq} holds no approval"
        if (
            type in DECISIONS
            and made.get("outcome") != DecisionOutcome.APPROVED
            and not made.get("signature")
        ):
            return None
        if not _is_about(type, made, data, subject) or _name(made) != actor:
            return f"the approval in record {seq} is another's, or for something else"
        if not any(change.seq < seq for change in self._keys):
            return ""
        if not _is_signed(made, type, self._key(actor, seq)):
            name = visible(actor)
            return f"the approval in record {seq} is not signed with the key registered for {name}"
        return None

    def _key(self, name: str, seq: int) -> str:
        of_name = (one.key for one in reversed(self._keys) if one.name == name and one.seq < seq)
        return next(of_name, "")


def _name(made: dict[str, Any]) -> object:
    by = made.get("by")
    return by.get("name") if isinstance(by, dict) else None


def _is_about(type: str, made: dict[str, Any], data: dict[str, Any], subject: str) -> bool:
    if type in DECISIONS:
        return made.get("submission") == subject
    return made.get("id") == data.get("pre_approval")


def _is_signed(made: dict[str, Any], type: str, key: str) -> bool:
    """Return whether the private key of `key` signed what was decided."""
    names, context = (
        (_DECISION, DECISION_CONTEXT) if type in DECISIONS else (_PRE_APPROVAL, PRE_APPROVAL_CONTEXT)
    )
    signature = made.get("signature")
    if not key or not isinstance(signature, dict) or signature.get("key") != key:
        return False
    try:
        signed = context + canonical_data({name: made[name] for name in names if name in made}).encode()
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(str(signature.get("value"))), signed)
    except (InvalidSignature, ValueError, HistoryError):
        return False
    return True
