"""The keys that decisions and pre-approvals are signed with: each is registered before it is used.

A signature counts where it verifies with the key that is registered for its maker's name, never with the key
that comes along with it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import ENGINE, EventBus
from engine.history.errors import HistoryError
from engine.models import Decision, Event, PreApproval, Principal, ReviewerKey
from engine.models.past_decisions import PolicyAdoption
from engine.principals import KeyRing
from engine.principals.keys import KeyUnusable
from engine.principals.signing import (
    sign,
    sign_adoption,
    sign_pre_approval,
    verify,
    verify_pre_approval,
)

SUBJECT = "reviewers"
REGISTERED, REMOVED = "reviewer.registered", "reviewer.removed"


@dataclass(frozen=True, slots=True)
class _Change:
    event: Event
    name: str
    key: str
    """The public key in hexadecimal that was registered, or removed."""

    @property
    def registers(self) -> bool:
        return self.event.type == REGISTERED


class ReviewerKeys:
    """The registered keys, rebuilt from the history, and the private keys that belong to them."""

    def __init__(self, events: EventBus, ring: KeyRing) -> None:
        self._events = events
        self._ring = ring
        self._changes: list[_Change] = []
        self._shared: set[str] = set()
        """Names whose keys are known to be those of all engines."""
        self._lock = asyncio.Lock()
        self._revoking = asyncio.Lock()
        self._unrecorded = 0
        self._recorded = asyncio.Event()
        self._recorded.set()

    async def start(self) -> None:
        """Read from the history which keys are registered."""
        self._changes += [_change(event) async for event in self._events.recorded(SUBJECT)]

    def replay(self, event: Event) -> None:
        """Take the record of another engine into account."""
        if event.seq not in {change.event.seq for change in self._changes}:
            self._changes.append(_change(event))

    def listed(self) -> tuple[ReviewerKey, ...]:
        """Return every key that was ever registered, the oldest first."""
        removed = {(one.name, one.key): one.event.at for one in self._changes if not one.registers}
        return tuple(
            ReviewerKey(
                name=Untrusted(one.name),
                key=one.key,
                registered_at=one.event.at,
                removed_at=removed.get((one.name, one.key)),
            )
            for one in self._changes
            if one.registers
        )

    def key_of(self, name: str, before: int | None = None) -> str:
        """Return the public key registered for a name now, or before a record; empty where there is none."""
        of_name = (
            change.key if change.registers else ""
            for change in reversed(self._changes)
            if change.name == name and (before is None or change.event.seq < before)
        )
        return next(of_name, "")

    async def revoke(self, key: str, by: Principal) -> None:
        """Let nothing be signed with a key any more, once what it signed before is recorded.

        Raises:
            Problem: it is registered for nobody.
        """
        async with self._revoking, self._lock:
            await self._recorded.wait()
            names = {one.name for one in self._changes if one.key == key and self.key_of(one.name) == key}
            if not names:
                raise Problem(404, "no such key is registered", hint="Type: pratique key list")
            for name in names:
                await self._record(REMOVED, name, key, by.name)

    @contextlib.asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Let no key be revoked between a signature in this block and its record."""
        async with self._revoking:
            self._unrecorded += 1
            self._recorded.clear()
        try:
            yield
        finally:
            self._unrecorded -= 1
            if not self._unrecorded:
                self._recorded.set()

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

    async def sign_adoption(self, adoption: PolicyAdoption) -> PolicyAdoption:
        """Return the adoption of a rule signed with the registered key of who adopts it.

        Raises:
            KeyUnusable: the key cannot be used, or is not the registered one.
        """
        return sign_adoption(adoption, await self._private_key(adoption.by))

    def holds(self, decision: Decision) -> bool:
        """Return whether a decision is as it was signed with the key that is registered for its maker now."""
        key = self.key_of(decision.by.name.text)
        return bool(key) and verify(decision, key)

    def holds_pre_approval(self, pre_approval: PreApproval, before: int) -> bool:
        """Return whether a pre-approval is as it was signed with the key registered before that record."""
        key = self.key_of(pre_approval.by.name.text, before)
        return bool(key) and verify_pre_approval(pre_approval, key)

    def signed_by_registered(self, pre_approval: PreApproval) -> bool:
        """Return whether the key that signed a pre-approval, which held, is still registered."""
        key = self.key_of(pre_approval.by.name.text)
        return bool(key) and pre_approval.signature is not None and pre_approval.signature.key == key

    async def _private_key(self, by: Principal) -> Ed25519PrivateKey:
        async with self._lock:
            existed = self._ring.has_key(by)
            await self._share(by)
            key, registered = self._ring.key(by), self.key_of(by.name.text)
            public = key.public_key().public_bytes_raw().hex()
            if registered == public:
                return key
            if existed:
                self._require_new(by, registered, public)
            if registered:
                await self._record(REMOVED, by.name.text, registered)
            await self._record(REGISTERED, by.name.text, public)
            return key

    async def _share(self, by: Principal) -> None:
        """Take the key of a principal from the other engines, or give them the one that is made here.

        Raises:
            KeyUnusable: neither can be done.
        """
        engines = self._events.log.engines
        if engines is None or by.name.text in self._shared:
            return
        name = f"keys/{self._ring.path_of(by).name}"
        try:
            version, pem = await engines.file(name)
            if not version:
                own = self._ring.pem(by)
                pem = own if await engines.put_file(name, 0, own) else (await engines.file(name))[1]
        except HistoryError as error:
            raise KeyUnusable(str(error)) from None
        self._ring.put(by, pem)
        self._shared.add(by.name.text)

    def _require_new(self, by: Principal, registered: str, public: str) -> None:
        """Check that a key which lies there may be registered. Raises KeyUnusable with what to do."""
        path, name = self._ring.path_of(by), visible(by.name)
        if any(change.key == public for change in self._changes):
            raise KeyUnusable(
                f"the key of {name} was revoked, or is another's: move {path} away, and a new one is "
                f"registered"
            )
        if registered:
            raise KeyUnusable(
                f"the key of {name} is not the one that is registered: put it back, or move {path} away, and "
                f"a new one is registered"
            )

    async def _record(self, type: str, name: str, key: str, actor: Untrusted = ENGINE) -> None:
        data = {"name": name, "key": key}
        self._changes.append(_change(await self._events.record(type, SUBJECT, actor, data=data)))


def _change(event: Event) -> _Change:
    return _Change(event, str(event.data["name"]), str(event.data["key"]))
