"""The keys that decisions and pre-approvals are signed with: each is registered before it is used.

A signature counts where it verifies with the key that is registered for its maker's name, never with the key
that comes along with it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.text import visible
from engine.core.history.event_bus import EventBus
from engine.models import Decision, Event, PreApproval, Principal
from engine.principals import KeyRing
from engine.principals.keys import KeyUnusable
from engine.principals.signing import (
    sign,
    sign_pre_approval,
    verify,
    verify_pre_approval,
)

SUBJECT = "reviewers"
REGISTERED, REMOVED = "reviewer.registered", "reviewer.removed"
PAGE = 1000


@dataclass(frozen=True, slots=True)
class _Change:
    seq: int
    name: str
    key: str
    """The public key in hexadecimal; empty where one was removed."""


class ReviewerKeys:
    """The registered keys, rebuilt from the history, and the private keys that belong to them."""

    def __init__(self, events: EventBus, ring: KeyRing) -> None:
        self._events = events
        self._ring = ring
        self._changes: list[_Change] = []
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Read from the history which keys are registered."""
        last = 0
        while events := await self._events.log.read.events(since=last, subject=SUBJECT, limit=PAGE):
            self._changes += (_change(event) for event in events)
            last = events[-1].seq

    def key_of(self, name: str, before: int | None = None) -> str:
        """Return the public key registered for a name now, or before a record; empty where there is none."""
        of_name = (
            change.key
            for change in reversed(self._changes)
            if change.name == name and (before is None or change.seq < before)
        )
        return next(of_name, "")

    async def sign(self, decision: Decision) -> Decision:
        """Return a decision signed with the registered key of who made it.

        Raises:
            KeyUnusable: the key cannot be used, or is not the registered one.
        """
        return sign(decision, await self._private_key(decision.by))

    async def sign_pre_approval(self, pre_approval: PreApproval) -> PreApproval:
        """Return a pre-approval signed with the registered key of who gave it.

        Raises:
            KeyUnusable: the key cannot be used, or is not the registered one.
        """
        return sign_pre_approval(pre_approval, await self._private_key(pre_approval.by))

    def holds(self, decision: Decision) -> bool:
        """Return whether a decision is as it was signed with the key that is registered for its maker now."""
        key = self.key_of(decision.by.name.text)
        return bool(key) and verify(decision, key)

    def holds_pre_approval(self, pre_approval: PreApproval, before: int) -> bool:
        """Return whether a pre-approval is as it was signed with the key registered before that record."""
        key = self.key_of(pre_approval.by.name.text, before)
        return bool(key) and verify_pre_approval(pre_approval, key)

    async def _private_key(self, by: Principal) -> Ed25519PrivateKey:
        async with self._lock:
            existed = self._ring.has_key(by)
            key, registered = self._ring.key(by), self.key_of(by.name.text)
            public = key.public_key().public_bytes_raw().hex()
            if registered and existed and registered != public:
                raise KeyUnusable(
                    f"the key of {visible(by.name)} is not the one that is registered: put it back, or move "
                    f"{self._ring.path_of(by)} away, and a new one is registered"
                )
            if registered and registered != public:
                await self._record(REMOVED, by, registered)
            if registered != public:
                await self._record(REGISTERED, by, public)
            return key

    async def _record(self, type: str, by: Principal, key: str) -> None:
        data = {"name": by.name.text, "key": key}
        self._changes.append(_change(await self._events.record(type, SUBJECT, data=data)))


def _change(event: Event) -> _Change:
    key = str(event.data["key"]) if event.type == REGISTERED else ""
    return _Change(event.seq, str(event.data["name"]), key)
