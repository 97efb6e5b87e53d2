"""textual-serve with access control: loopback only, one browser, a few consoles."""

from __future__ import annotations

import asyncio
import shlex
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from errno import EADDRNOTAVAIL, EAFNOSUPPORT
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server, to_int

from console.web.access import PROTOCOL, TOKEN, BrowserAccess
from console.web.process import ConsoleProcess

HOST, HOST_6 = "127.0.0.1", "::1"
PORTS_TRIED = 20
MAX_CONSOLES = 4
PAGE = Path(__file__).parent / "page"
SCRIPTS = frozenset({"access", "focus"})
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
NO = "Access denied. Open the address that `pratique web` printed; it can be used once.\n"


class ConsoleServer(Server):
    """Serves the console; checks the access of every request."""

    def __init__(self, port: int, command: str) -> None:
        self.access = BrowserAccess(port)
        super().__init__(command, title="Pratique", public_url=self.access.origin, templates_path=PAGE)
        self._sockets: set[web.WebSocketResponse] = set()

    async def application(self) -> web.Application:
        """Return the application, with the access check before every handler."""
        app = await self._make_app()
        app.add_routes([web.get("/page/{name}.js", self._script), web.post("/session", self._start_session)])

        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._guard(request, handler)

        app.middlewares.append(guard)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Print nothing: the caller prints the address."""

    async def on_shutdown(self, app: web.Application) -> None:
        """Close every console; runs continue."""
        for each in tuple(self._sockets):
            await each.close()

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Open a console for a tab, and close it when the tab closes."""
        socket_ = web.WebSocketResponse(heartbeat=15, protocols=(PROTOCOL,))
        await socket_.prepare(request)

        async def close() -> None:
            await socket_.close()

        service = ConsoleProcess(self.command, write_bytes=socket_.send_bytes, write_str=socket_.send_str,
                              close=close, download_manager=self.download_manager)  # fmt: skip
        self._sockets.add(socket_)
        try:
            await service.start(*(to_int(request.query.get(name, ""), 80) for name in ("width", "height")))
            await self._process_messages(socket_, service)
        finally:
            self._sockets.discard(socket_)
            await service.stop()
        return socket_

    async def _script(self, request: web.Request) -> web.FileResponse:
        if request.match_info["name"] not in SCRIPTS:
            raise web.HTTPNotFound
        return web.FileResponse(PAGE / f"{request.match_info['name']}.js")

    async def _start_session(self, request: web.Request) -> web.Response:
        """Answer with the secret of the browser, for the token of the address."""
        secret = self.access.exchange_token(request.headers.get(TOKEN, ""))
        return web.Response(status=403, text=NO) if secret is None else web.Response(text=secret)

    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            answer = await self._respond(request, handler)
        except web.HTTPException as refused:
            refused.headers.update(self.access.headers)
            raise
        if not answer.prepared:
            answer.headers.update(self.access.headers)
        return answer

    async def _respond(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        is_socket = request.path == "/ws"
        if not self.access.is_same_origin(
            request.headers, needs_origin=is_socket or request.method == "POST"
        ):
            return web.Response(status=403, text=NO)
        if request.path.startswith("/download/"):
            return web.Response(status=404, text="The console offers no downloads.\n")
        if is_socket and not self.access.opens_console(request.headers):
            return web.Response(status=403, text=NO)
        if is_socket and len(self._sockets) >= MAX_CONSOLES:
            return web.Response(status=429, text=f"{MAX_CONSOLES} consoles are open. Close one of them.\n")
        return await handler(request)


def listen(port: int) -> list[socket.socket]:
    """Return listeners at both loopback addresses, since browsers may try either; `port` 0 picks a free one.

    Raises:
        OSError: another program has the port, at either address.
    """
    for _ in range(PORTS_TRIED - 1 if port == 0 else 0):
        with suppress(OSError):
            return _listen_once(0)
    return _listen_once(port)


def _listen_once(port: int) -> list[socket.socket]:
    first = socket.create_server((HOST, port))
    try:
        return [first, socket.create_server((HOST_6, first.getsockname()[1]), family=socket.AF_INET6)]
    except OSError as error:
        if error.errno in {EADDRNOTAVAIL, EAFNOSUPPORT}:
            return [first]
        first.close()
        raise


async def serve(port: int, say: Callable[[str], None]) -> None:
    """Serve until cancelled; `port` 0 picks a free one. Raises OSError if the port is in use."""
    listeners = listen(port)
    command = shlex.join([sys.executable, "-P", "-m", "console.main", "--served"])
    server = ConsoleServer(listeners[0].getsockname()[1], command)
    runner = web.AppRunner(await server.application(), access_log=None, shutdown_timeout=5)
    await runner.setup()
    try:
        for each in listeners:
            await web.SockSite(runner, each).start()
        say(server.access.address)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
