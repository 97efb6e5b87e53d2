"""Tokens: created, listed, revoked and authenticated; each change is an event."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from weakref import WeakValueDictionary

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.config.shared_file import SharedFile
from engine.core.history.event_bus import EventBus
from engine.models import NewToken, Principal, Scope, Token
from engine.policy.rate_limits import Buckets
from engine.principals import tokens
from engine.principals.identity import name_error, person_error, token_of
from engine.principals.tokens import StoredToken, TokensUnusable

MOST_TOKENS = 1000
MOST_DAYS = 3660
CLOCK_SECONDS = 10.0
"""How often the clock is read anew while a token is used: it may be set, and the machine may sleep."""


class TokenStore:
    """The tokens of one engine, which alone writes their file."""

    def __init__(
        self, path: Path, events: EventBus, suspended: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._path = path
        self._suspended = suspended
        self._events = events
        self._lock = asyncio.Lock()
        self._shared = SharedFile(path, events)
        self._revocations: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
        self._kept: tuple[StoredToken, ...] = ()
        self._fault = ""
        self._log_rates = Buckets(per_minute=6, burst=3)
        self._read()

    async def start(self) -> None:
        """Take the tokens of the other engines, where several share them. Raises HistoryError."""
        async with self._lock:
            await self._pull()

    async def replay(self) -> None:
        """Take what another engine changed into account. Raises HistoryError."""
        async with self._lock:
            await self._pull()
        held = {one.token.id for one in self._kept}
        for id, ended in list(self._revocations.items()):
            if id not in held:
                ended.set()

    async def _pull(self) -> None:
        if await self._shared.pull():
            self._read()

    def _read(self) -> None:
        try:
            self._kept, self._fault = tokens.read(self._path), ""
        except TokensUnusable as error:
            self._fault = str(error)

    def listed(self) -> tuple[Token, ...]:
        """Return all that are not revoked, the oldest first, those that have expired among them."""
        return tuple(one.token for one in self._kept)

    def known(self, secret: str) -> Token | None:
        """Return the token of a secret, where it holds now."""
        token = tokens.matching(self._kept, secret, datetime.now(UTC))
        return None if token is None or self._suspended(token.id) else token

    async def create(
        self,
        name: str,
        scopes: tuple[Scope, ...],
        days: float,
        by: Principal,
        key: str = "",
        person: str = "",
    ) -> NewToken:
        """Make a token for a principal.

        Raises:
            Problem: it has no name, no scope or no time, there are too many, or the file cannot be used.
        """
        if not scopes or not 0 < days <= MOST_DAYS:
            raise Problem(422, f"a token has a name, a scope, and 0 to {MOST_DAYS} days")
        if wrong := name_error(name) or (person and person_error(person)):
            raise Problem(422, wrong, hint="Choose another name.")
        now = datetime.now(UTC)
        token = Token(
            id=f"t-{secrets.token_hex(4)}",
            name=Untrusted(name),
            person=person or name,
            scopes=tuple(dict.fromkeys(scopes)),
            created_at=now,
            expires_at=now + timedelta(days=days),
            key=key,
        )
        secret = tokens.new_secret()
        async with self._lock:
            await self._pull()
            if len(self._kept) >= MOST_TOKENS:
                raise Problem(409, f"there are {MOST_TOKENS} tokens", hint="Revoke some.")
            await self._change((*self._kept, StoredToken(token=token, sha256=tokens.hash_of(secret))))
            data = {
                "token": token.id,
                "name": name,
                "person": token.person,
                "scopes": [scope.value for scope in token.scopes],
                "key": key,
            }
            await self._events.record("principal.added", token.id, by.name, data=data)
        return NewToken(token=token, secret=secret)

    async def revoke(self, id: str, by: Principal) -> None:
        """Take a token back: from now on it is as unknown as any.

        Raises:
            Problem: there is none of that id.
        """
        async with self._lock:
            await self._pull()
            left = tuple(one for one in self._kept if one.token.id != id)
            if left == self._kept:
                raise Problem(404, f"there is no token {visible(id)}", hint="Type: pratique token list")
            await self._change(left)
            if revoked := self._revocations.get(id):
                revoked.set()
            await self._events.record("principal.removed", id, by.name, data={"token": id})

    def holds(self, principal: Principal) -> bool:
        """Return whether a principal's token is neither revoked nor blocked; true of whoever has no token.

        An unreadable file revokes nothing: it lets nobody in.
        """
        id = token_of(principal)
        if id and self._suspended(id):
            return False
        return not id or bool(self._fault) or any(id == one.token.id for one in self._kept)

    def end_suspended(self) -> None:
        """End the connections of tokens that are blocked."""
        for id, ended in list(self._revocations.items()):
            if self._suspended(id):
                self._revocations.pop(id, None)
                ended.set()

    async def ended(self, token: Token) -> None:
        """Wait until a token holds no longer: it is revoked, or its time is over by this machine's clock."""
        revoked = self._revocations.setdefault(token.id, asyncio.Event())
        while self._lasts(token) and (left := (token.expires_at - datetime.now(UTC)).total_seconds()) > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left, CLOCK_SECONDS)):
                    await revoked.wait()

    def _lasts(self, token: Token) -> bool:
        return token in self.listed() and not self._suspended(token.id)

    async def refused(self, address: str) -> None:
        """Record a failed authentication, a few times a minute for each address at most."""
        if not self._log_rates.take(address, time.monotonic()):
            await self._events.record("authentication.failed", "", data={"address": address}, durable=False)

    async def _change(self, kept: tuple[StoredToken, ...]) -> None:
        if self._fault:
            raise Problem(503, self._fault)
        await asyncio.to_thread(tokens.write, self._path, kept)
        try:
            await self._shared.push()
        except Problem:
            self._read()
            raise
        self._kept = kept
