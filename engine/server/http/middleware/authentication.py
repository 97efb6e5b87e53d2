"""Authentication by bearer token."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.datastructures import Headers

from engine.common import log
from engine.common.errors import Problem
from engine.common.headers import AGENT
from engine.core.config.token_store import TokenStore
from engine.models import Token
from engine.policy.rate_limits import Buckets
from engine.server.http.authorization import SOCKET_OWNER, Caller, caller_of_agent, caller_of_token
from engine.settings import ServerSettings

FAILURES_PER_MINUTE = 30.0
FAILURES_BURST = 10
LOGGED_PER_MINUTE = 6.0
LOGGED_BURST = 20
"""How often refusals of one address are logged, so that a flood of requests does not fill the disk."""


class SocketAuthenticator:
    """Finds the caller of a request over the socket: its owner, unless it names a token or an agent."""

    def __init__(self, known: Callable[[str], Token | None]) -> None:
        self._known = known

    async def authenticate(self, headers: Headers, address: str) -> Caller:
        """Return the caller of a request. Raises Problem (401) where a token or an agent is not known."""
        if "authorization" in headers:
            token = self._known(bearer(headers))
            if token is None:
                raise Problem(401, "a valid token is required", hint="Type: pratique token create")
            return caller_of_token(token)
        return caller_of_agent(headers[AGENT]) if AGENT in headers else SOCKET_OWNER


def bearer(headers: Headers) -> str:
    """Return the secret that a request carries as a bearer token; empty without one, or with several."""
    given = headers.getlist("authorization")
    kind, _, secret = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return secret.strip() if kind.lower() == "bearer" else ""


class TokenAuthenticator:
    """Finds the caller of a token, and limits the requests of each token and the failures of each address."""

    def __init__(self, tokens: TokenStore, settings: ServerSettings) -> None:
        self._tokens = tokens
        self._rates = Buckets(settings.requests_per_minute, settings.requests_burst)
        self._failures = Buckets(FAILURES_PER_MINUTE, FAILURES_BURST)
        self._logged = Buckets(LOGGED_PER_MINUTE, LOGGED_BURST)

    async def authenticate(self, headers: Headers, address: str) -> Caller:
        """Return the caller of a request.

        Raises:
            Problem: there is no valid token (401, whatever is wrong with it), or too many requests (429).
        """
        secret = bearer(headers)
        token = self._tokens.known(secret)
        if token is None:
            await self._refuse(address, "unknown, expired or revoked token" if secret else "no token")
            raise Problem(401, "a valid token is required", hint="Type: pratique token create")
        self._limit(self._rates, token.id)
        return caller_of_token(token)

    async def _refuse(self, address: str, reason: str) -> None:
        self._log("authentication.refused", address, reason=reason)
        await self._tokens.refused(address)
        self._limit(self._failures, address)

    def _limit(self, rates: Buckets, client: str) -> None:
        wait = rates.take(client, time.monotonic())
        if not wait:
            return
        self._log("requests.throttled", client, retry_after=round(wait, 1))
        raise Problem(429, "too many requests", hint=f"Try again in {wait:.0f} s.", retry_after=max(1, wait))

    def _log(self, event: str, client: str, **fields: log.Value) -> None:
        if not self._logged.take(client, time.monotonic()):
            log.warning(event, client=client, **fields)
