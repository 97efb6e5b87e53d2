"""textual-serve with access control: loopback only, one browser, a few consoles."""

from __future__ import annotations

import asyncio
import shlex
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server, to_int

from console.web.access import COOKIE, BrowserAccess
from console.web.process import ConsoleProcess

HOST = "127.0.0.1"
MAX_CONSOLES = 4
PAGE = Path(__file__).parent / "page"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
NO = "Access denied. Open the address that `pratique web` printed; it can be used once.\n"


class ConsoleServer(Server):
    """Serves the console; checks the access of every request."""

    def __init__(self, port: int, command: str) -> None:
        super().__init__(command, host=HOST, port=port, title="Pratique", templates_path=PAGE)
        self.access = BrowserAccess(f"{HOST}:{port}")
        self._sockets: set[web.WebSocketResponse] = set()

    async def application(self) -> web.Application:
        """Return the application, with the access check before every handler."""
        app = await self._make_app()
        app.add_routes([web.get("/page/focus.js", self._focus)])

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
        socket_ = web.WebSocketResponse(heartbeat=15)
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

    async def _focus(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(PAGE / "focus.js")

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
        if not self.access.is_same_origin(request.headers, needs_origin=is_socket):
            return web.Response(status=403, text=NO)
        if "token" in request.query and request.path == "/":
            return self._start_session(request.query["token"])
        if not self.access.is_session(request.cookies.get(COOKIE, "")):
            return web.Response(status=403, text=NO)
        if is_socket and len(self._sockets) >= MAX_CONSOLES:
            return web.Response(status=429, text=f"{MAX_CONSOLES} consoles are open. Close one of them.\n")
        return await handler(request)

    def _start_session(self, token: str) -> web.Response:
        secret = self.access.exchange_token(token)
        if secret is None:
            return web.Response(status=403, text=NO)
        answer = web.Response(status=303, headers={"Location": "/"})
        answer.set_cookie(COOKIE, secret, httponly=True, samesite="Strict", path="/")
        return answer


async def serve(port: int, say: Callable[[str], None]) -> None:
    """Serve until cancelled; `port` 0 picks a free one. Raises OSError if the port is in use."""
    listening = socket.create_server((HOST, port))
    command = shlex.join([sys.executable, "-P", "-m", "console.main", "--served"])
    server = ConsoleServer(listening.getsockname()[1], command)
    runner = web.AppRunner(await server.application(), access_log=None, shutdown_timeout=5)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        say(server.access.address)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
