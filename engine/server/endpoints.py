"""The endpoints of an engine: the Unix socket, the TCP address, MCP and the inbox."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Sequence
from functools import partial

from starlette.types import ASGIApp

from engine import locations
from engine.common import log
from engine.common.supervisor import Supervisor
from engine.core import Engine
from engine.core.engines.service import SeveralEngines
from engine.server.http.app import create_app
from engine.server.http.connections.limits import local_limits, remote_limits
from engine.server.http.listeners import EndpointServer, create_server
from engine.server.http.middleware.access import LOCAL_HOSTS, AccessMiddleware
from engine.server.http.middleware.authentication import SocketAuthenticator, TokenAuthenticator
from engine.server.http.middleware.concurrency import ConcurrencyLimit
from engine.server.http.middleware.token_lifetime import TokenLifetime
from engine.server.inbox.inbox import watch_inbox
from engine.server.local_socket import LocalSocket
from engine.server.mcp.mount import McpMount

IDLE_CHECK_SECONDS = 5.0
CLOSING_SECONDS = 5.0
"""How long the inbox and the other watchers may take to end."""

Endpoint = tuple[EndpointServer, socket.socket]


async def serve_endpoints(
    engine: Engine,
    local: LocalSocket,
    listener: socket.socket,
    remote: socket.socket | None,
    until_idle: bool,
) -> None:
    """Serve every endpoint until a signal, a shutdown request, idleness, or a takeover by other engines."""
    settings = engine.settings.server
    ending = asyncio.Event()
    limits = ConcurrencyLimit(settings.max_requests), ConcurrencyLimit(settings.max_requests)
    start = engine.supervisor.start
    app = McpMount(create_app(engine, ending.set), engine.settings, engine.supervisor)
    endpoints = _endpoints(engine, app, listener, remote, limits)
    others = [start("socket", partial(local.watch, endpoints[0][0].listen))]
    if settings.inbox:
        others.append(start("inbox", partial(_serve_inbox, engine)))
    if until_idle and settings.idle_minutes:
        others.append(start("idle limit", partial(_end_when_idle, ending, limits, engine)))
    if engine.several:
        others.append(start("other engines' takeover", partial(_end_when_taken_over, ending, engine.several)))
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, partial(_drain, engine))
    try:
        await _serve_http(endpoints, ending, engine.supervisor)
    finally:
        app.close()
        for task in others:
            task.cancel()
        await asyncio.wait(others, timeout=CLOSING_SECONDS)


def _drain(engine: Engine) -> None:
    """Begin to drain, as `python -m engine.server.probe drained` asks before the end of a Pod."""
    log.info("engine.draining")
    engine.runs.drain()


def _endpoints(
    engine: Engine,
    inner: ASGIApp,
    local: socket.socket,
    remote: socket.socket | None,
    limits: tuple[ConcurrencyLimit, ConcurrencyLimit],
) -> list[Endpoint]:
    settings = engine.settings.server
    app = TokenLifetime(inner, engine.tokens.ended)
    endpoints = [
        (
            create_server(
                AccessMiddleware(app, settings, limits[0], SocketAuthenticator(engine.tokens.known)),
                None,
                local_limits(settings.max_requests),
            ),
            local,
        )
    ]
    if remote:
        authenticator = TokenAuthenticator(engine.tokens, settings)
        hosts = LOCAL_HOSTS | frozenset(settings.hosts)
        outer = AccessMiddleware(app, settings, limits[1], authenticator, hosts)
        endpoints.append((create_server(outer, settings, remote_limits(settings.max_requests)), remote))
    return endpoints


async def _serve_http(endpoints: Sequence[Endpoint], ending: asyncio.Event, supervisor: Supervisor) -> None:
    for signum in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signum, ending.set)
    serving = {supervisor.start("endpoints", partial(_serve_one, *endpoint)) for endpoint in endpoints}
    for task in serving:
        task.add_done_callback(lambda _: ending.set())
    await ending.wait()
    for server, _ in endpoints:
        server.should_exit = True
    await asyncio.wait(serving)


async def _serve_one(server: EndpointServer, listener: socket.socket) -> None:
    kind, address = _address(listener)
    log.info("endpoint.opened", kind=kind, address=address)
    try:
        await server.serve(sockets=[listener])
    finally:
        log.info("endpoint.closed", kind=kind, address=address)


async def _serve_inbox(engine: Engine) -> None:
    folder = locations.inbox()
    log.info("endpoint.opened", kind="inbox", address=str(folder))
    try:
        await watch_inbox(engine, folder)
    finally:
        log.info("endpoint.closed", kind="inbox", address=str(folder))


def _address(listener: socket.socket) -> tuple[str, str]:
    name = listener.getsockname()
    return ("unix", str(name)) if listener.family == socket.AF_UNIX else ("tcp", f"{name[0]}:{name[1]}")


async def _end_when_taken_over(ending: asyncio.Event, several: SeveralEngines) -> None:
    await several.taken_over.wait()
    ending.set()


async def _end_when_idle(ending: asyncio.Event, limits: Sequence[ConcurrencyLimit], engine: Engine) -> None:
    limit = engine.settings.server.idle_minutes * 60
    while engine.queries.busy or min(one.idle_seconds for one in limits) < limit:
        await asyncio.sleep(IDLE_CHECK_SECONDS)
    ending.set()
