"""What every request passes first: where it comes from, who sends it, how often, and how large it is."""

from __future__ import annotations

import time

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.config.token_store import TokenStore
from engine.models import Scope as Permit
from engine.policy.rate_limits import Buckets
from engine.server.http.authorization import CALLER, OWNER, Caller, of_token
from engine.server.http.responses import answer
from engine.settings import ServerSettings

LOCAL = frozenset({"engine", "localhost", "127.0.0.1", "[::1]"})
"""The names that clients on this machine call the engine by."""
OPEN = frozenset({"/readyz"})
"""What whoever watches the machine may ask without a token."""
FAILURES_PER_MINUTE = 30.0
FAILURES_BURST = 10
_PROBE = frozenset({Permit.AUDIT})
_CHALLENGE = {"www-authenticate": "Bearer"}


class Traffic:
    """What is under way at one door of an engine: no door takes another's places."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._under_way = 0
        self._last = time.monotonic()

    @property
    def quiet_seconds(self) -> float:
        """Seconds since the last request ended; 0 while one is under way."""
        return 0.0 if self._under_way else time.monotonic() - self._last

    def enter(self) -> bool:
        """Count a request in, and say whether there was a place for it."""
        self._under_way += 1
        return self._under_way <= self._most

    def leave(self) -> None:
        """Count a request out."""
        self._under_way -= 1
        self._last = time.monotonic()


class Keys:
    """Lets in by token, as often as the settings say."""

    def __init__(self, tokens: TokenStore, settings: ServerSettings) -> None:
        self._tokens = tokens
        self._rates = Buckets(settings.requests_per_minute, settings.requests_burst)
        self._failures = Buckets(FAILURES_PER_MINUTE, FAILURES_BURST)

    async def let_in(self, headers: Headers, address: str) -> Caller:
        """Return whom a request's token stands for.

        Raises:
            Problem: it has none that holds (401, whatever is wrong with it), or comes too often (429).
        """
        kind, _, secret = headers.get("authorization", "").partition(" ")
        token = self._tokens.known(secret.strip() if kind.lower() == "bearer" else "")
        if token is None:
            await self._tokens.refused(address)
            _in_turn(self._failures, address)
            raise Problem(401, "a token is needed here", hint="Type: pratique token create")
        _in_turn(self._rates, token.id)
        return of_token(token)


def _in_turn(rates: Buckets, name: str) -> None:
    if wait := rates.take(name, time.monotonic()):
        raise Problem(429, "too many requests", hint=f"Come back in {wait:.0f} s.", retry_after=max(1, wait))


class Guard:
    """An ASGI application around another one: the guard of one door."""

    def __init__(
        self,
        app: ASGIApp,
        settings: ServerSettings,
        traffic: Traffic,
        keys: Keys | None = None,
        hosts: frozenset[str] = LOCAL,
    ) -> None:
        self._app = app
        self._settings = settings
        self._traffic = traffic
        self._keys = keys
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer what is wrong with it."""
        place = self._traffic.enter()
        try:
            if not place:
                raise Problem(503, "too many requests are under way", retry_after=1)  # noqa: TRY301
            scope[CALLER] = await self._let_in(scope)
            await self._pass_on(scope, receive, send)
        except Problem as problem:
            await answer(problem, _CHALLENGE if problem.status == 401 else None)(scope, receive, send)
        finally:
            self._traffic.leave()

    async def _let_in(self, scope: Scope) -> Caller:
        headers = Headers(scope=scope)
        self._no_stranger(headers)
        if self._keys is None:
            return OWNER
        if scope["path"] in OPEN:
            return Caller(OWNER.principal, _PROBE)
        client = scope.get("client") or ("",)
        return await self._keys.let_in(headers, str(client[0]))

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._settings.max_request_bytes
        body = _Body(receive, most)
        await self._app(scope, body.receive, body.unless_too_large(send))
        if body.too_large:
            await answer(Problem(413, f"a request is at most {most} bytes"))(scope, receive, send)

    def _no_stranger(self, headers: Headers) -> None:
        """Refuse a request that says it comes from elsewhere: a browser has no business here."""
        hosts = [_without_port(host) for host in headers.getlist("host")]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            raise Problem(421, f"no such host here: {visible(', '.join(hosts))[:200] or 'none named'}")
        if "origin" in headers:
            raise Problem(403, "requests from web pages are refused")


def _without_port(host: str) -> str:
    name, _, port = host.lower().rpartition(":")
    return name if name and port.isdigit() else host.lower()


class _Body:
    """The body of one request: over the bound it ends, and what the application answers is dropped."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most
        self.too_large = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        self.too_large = self.too_large or self._left < 0
        return {"type": "http.disconnect"} if self.too_large else message

    def unless_too_large(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if not self.too_large:
                await send(message)

        return sending
