"""What every request passes first: concurrency limit, host check, authentication, body limit."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.common import log
from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.models import Principal
from engine.models import Scope as TokenScope
from engine.server.http.authorization import CALLER, Caller
from engine.server.http.connections.protocol import connection_of
from engine.server.http.middleware.authentication import SocketAuthenticator, TokenAuthenticator
from engine.server.http.middleware.body import BodyLimits, BoundedBody
from engine.server.http.middleware.concurrency import ConcurrencyLimit
from engine.server.http.problems import LOGGED, internal_problem, problem_response
from engine.settings import ServerSettings

LOCAL_HOSTS = frozenset({"engine", "localhost", "127.0.0.1", "[::1]"})
"""The names by which clients on this machine call the engine."""
PUBLIC_PATHS = frozenset({"/readyz"})
"""What a monitor may request without a token."""
_MONITOR = Caller(Principal(name=Untrusted("nobody"), roles=frozenset()), frozenset({TokenScope.AUDIT}))
_HEADERS = {401: {"www-authenticate": "Bearer"}, 408: {"connection": "close"}, 413: {"connection": "close"}}
"""Headers of what is refused here, by status."""


class AccessMiddleware:
    """The outermost ASGI application of one endpoint."""

    def __init__(
        self,
        app: ASGIApp,
        settings: ServerSettings,
        limit: ConcurrencyLimit,
        authenticator: SocketAuthenticator | TokenAuthenticator,
        hosts: frozenset[str] = LOCAL_HOSTS,
    ) -> None:
        self._app = app
        self._settings = settings
        self._limit = limit
        self._authenticator = authenticator
        self._hosts = hosts
        self._bodies = BodyLimits(settings.max_request_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer with the reason why not."""
        allowed = self._limit.enter()
        response = _Response(send)
        try:
            if not allowed:
                raise Problem(503, "too many concurrent requests", retry_after=1)  # noqa: TRY301
            caller = scope[CALLER] = await self._authenticate(scope)
            if connection := connection_of(scope):
                connection.authenticated()
            token = caller.token.id if caller.token else ""
            with self._limit.share(token):
                await self._forward(scope, receive, response, token)
        except Problem as problem:
            if not response.started:
                await problem_response(problem, _HEADERS.get(problem.status))(scope, receive, send)
        except Exception as error:
            await _report(error, scope, receive, response)
        finally:
            self._limit.leave()

    async def _authenticate(self, scope: Scope) -> Caller:
        headers = Headers(scope=scope)
        client = str((scope.get("client") or ("socket",))[0])
        self._check_origin(headers, client)
        if scope["path"] in PUBLIC_PATHS:
            return _MONITOR
        return await self._authenticator.authenticate(headers, client)

    async def _forward(self, scope: Scope, receive: Receive, response: _Response, token: str) -> None:
        body = BoundedBody(receive, self._bodies, token)
        response.on_start = body.release
        try:
            await self._app(scope, body.receive, body.unless_refused(response.send))
        finally:
            body.release()
        if body.refusal:
            raise body.refusal

    def _check_origin(self, headers: Headers, client: str) -> None:
        """Refuse a request with another host name, or from a web page."""
        hosts = [_without_port(host) for host in headers.getlist("host")]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            log.warning("request.refused", address=client, reason="unknown host name")
            raise Problem(421, f"unknown host name: {visible(', '.join(hosts))[:200] or 'none given'}")
        if "origin" in headers:
            log.warning("request.refused", address=client, reason="sent by a web page")
            raise Problem(403, "requests from web pages are refused")


async def _report(error: Exception, scope: Scope, receive: Receive, response: _Response) -> None:
    """Log an unexpected error once, and answer it if nothing was answered yet."""
    problem = None if scope.get(LOGGED) else internal_problem(error, scope)
    if problem and not response.started:
        await problem_response(problem)(scope, receive, response.send)


def _without_port(host: str) -> str:
    name, _, port = host.lower().rpartition(":")
    return name if name and port.isdigit() else host.lower()


class _Response:
    """Knows whether a response has started."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False
        self.on_start: Callable[[], None] = lambda: None

    async def send(self, message: Message) -> None:
        if not self.started:
            self.started = True
            self.on_start()
        await self._send(message)
