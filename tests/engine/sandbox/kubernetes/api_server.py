"""A small real API server on loopback, with TLS, and a client of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import yaml
from aiohttp import web

from engine.settings import KubernetesSettings
from tests.tls import free_port, self_signed

PODS = "/api/v1/namespaces/pratique/pods"
CONFIG_MAPS = "/api/v1/namespaces/pratique/configmaps"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/pratique/leases"


class Server:
    """An API server with one Pod at most, whose attached program echoes its input."""

    def __init__(self) -> None:
        self.refusals: list[tuple[int, dict[str, Any]]] = []
        self.tokens: list[str] = []
        self.queries: list[dict[str, str]] = []
        """How Pods were asked for."""
        self.sent: list[bytes] = []
        """Messages that a stream begins with."""
        self.watched = asyncio.Event()
        self.pod: dict[str, Any] | None = {"metadata": {"name": "one", "resourceVersion": "1"}}
        self.protocols: tuple[str, ...] = ("v4.channel.k8s.io",)
        self.ready: list[int] = [200]
        """What it answers when it is asked whether it is ready, one after the other; the last stays."""
        self.lost = 0
        """How many answers about a Pod that was created never arrive."""

    async def pods(self, request: web.Request) -> web.StreamResponse:
        """List, create or watch."""
        self.tokens.append(request.headers.get("Authorization", ""))
        self.queries.append(dict(request.query))
        if self.refusals:
            status, body = self.refusals.pop(0)
            return web.json_response(body, status=status)
        if request.method == "POST":
            return await self._create(request)
        if "watch" not in request.query:
            return web.json_response({"items": [self.pod]})
        answer = web.StreamResponse()
        await answer.prepare(request)
        self.watched.set()
        self.pod = None
        await answer.write(json.dumps({"type": "DELETED", "object": {}}).encode() + b"\n")
        return answer

    async def one(self, request: web.Request) -> web.StreamResponse:
        """Return the Pod."""
        if self.pod is None:
            return web.json_response({"reason": "NotFound", "message": "no pod"}, status=404)
        return web.json_response(self.pod)

    async def _create(self, request: web.Request) -> web.StreamResponse:
        if self.pod is not None:
            return web.json_response({"reason": "AlreadyExists", "message": "already exists"}, status=409)
        self.pod = await request.json()
        if self.lost and request.transport is not None:
            self.lost -= 1
            request.transport.abort()
        return web.json_response(self.pod)

    async def owned(self, request: web.Request) -> web.StreamResponse:
        """Make a Lease or a ConfigMap."""
        return web.json_response({"metadata": {"uid": "1"}})

    async def readyz(self, request: web.Request) -> web.StreamResponse:
        """Say whether it is ready."""
        status = self.ready.pop(0) if len(self.ready) > 1 else self.ready[0]
        return web.Response(status=status, text="ok" if status == 200 else "not yet")

    async def version(self, request: web.Request) -> web.StreamResponse:
        """Say which version it is."""
        status, body = self.refusals.pop(0) if self.refusals else (200, {"gitVersion": "v1.36.0"})
        return web.json_response(body, status=status)

    async def attach(self, request: web.Request) -> web.StreamResponse:
        """Echo what comes in on standard output, and its length on standard error."""
        if self.refusals:
            return web.json_response({}, status=self.refusals.pop(0)[0])
        socket = web.WebSocketResponse(protocols=self.protocols, max_msg_size=0)
        await socket.prepare(request)
        for message in self.sent:
            await socket.send_bytes(message)
        async for received in socket:
            await socket.send_bytes(b"\x01" + received.data[1:])
            await socket.send_bytes(b"\x02" + str(len(received.data) - 1).encode())
        return socket


@contextlib.asynccontextmanager
async def serving(server: Server, folder: Path) -> AsyncIterator[KubernetesSettings]:
    """Serve, and give the settings of an engine that calls it by a kubeconfig."""
    certificate, key = self_signed(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    app, port = web.Application(), free_port()
    app.add_routes([web.route("*", PODS, server.pods), web.route("*", PODS + "/{pod}", server.one)])
    app.add_routes([web.get(PODS + "/{pod}/{part}", server.attach)])
    app.add_routes([web.route("*", path, server.owned) for path in (LEASES, CONFIG_MAPS)])
    app.add_routes([web.get("/readyz", server.readyz), web.get("/version", server.version)])
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, ssl_context=context).start()
    cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(certificate)}
    config = {
        "current-context": "a",
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "clusters": [{"name": "a", "cluster": cluster}],
        "users": [{"name": "a", "user": {"token": "secret"}}],
    }
    (folder / "config").write_text(yaml.safe_dump(config))
    try:
        yield KubernetesSettings(kubeconfig=folder / "config")
    finally:
        await runner.cleanup()
