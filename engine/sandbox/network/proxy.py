"""The egress proxy of one run: it allows granted hosts only, and records every attempt first."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple, TypeVar

import h11

from engine.sandbox.api.egress_policy import EgressDenied, EgressPolicy
from engine.sandbox.api.run_events import NetworkAttempt
from engine.sandbox.network.budget import Budget, BudgetExhausted
from engine.sandbox.network.ephemeral_ca import EphemeralCA
from engine.sandbox.network.http_forward import Route, carried, destination, exchange, outgoing, tunnel
from engine.sandbox.network.http_peer import Peer
from engine.sandbox.network.relay import relay
from engine.sandbox.network.resolver import PinnedResolver, Streams
from engine.sandbox.network.secret_injection import SecretInjector
from engine.sandbox.network.sni import read_client_hello

_T = TypeVar("_T")
Record = Callable[[NetworkAttempt], Awaitable[None]]
"""Records an attempt; nothing is sent before it returns."""


class Proxy:
    """Serves the connections of a bridge, and forwards what the policy allows."""

    def __init__(self, policy: EgressPolicy, record: Record, secrets: SecretInjector | None = None) -> None:
        self.budget = Budget(policy.requests, policy.bytes)
        self.secrets = secrets or SecretInjector()
        self.ca = EphemeralCA() if self.secrets else None
        self._policy = policy
        self._record = record
        self._resolver = PinnedResolver(policy)
        self._serving: set[asyncio.Task[None]] = set()
        self._exhausted = False

    def serve(self, end: socket.socket) -> None:
        """Serve one connection, then close it."""
        task = asyncio.create_task(self._serve(end))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def close(self) -> None:
        """End every connection."""
        self._exhausted = True
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)

    # --- one connection

    async def _serve(self, end: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=end)
        guest = Peer(h11.SERVER, reader, writer)
        async with _closing(writer):
            await self._respond(guest, self._handle_request(guest))

    async def _respond(self, guest: Peer, work: Awaitable[None]) -> None:
        """Handle a request; if it fails, send the reason where that is still possible."""
        with contextlib.suppress(OSError, h11.ProtocolError):
            try:
                await work
            except BudgetExhausted as used_up:
                await self._exhaust(used_up)
                await guest.refuse(403, str(used_up))
            except EgressDenied as no:
                await guest.refuse(403, str(no))
            except h11.ProtocolError:
                await guest.refuse(400, "the request is not HTTP/1.1 that can be read in one way only")
            except (OSError, TimeoutError) as error:
                await guest.refuse(502, f"the host does not answer: {error}")

    async def _handle_request(self, guest: Peer) -> None:
        request = await guest.receive()
        if not isinstance(request, h11.Request):
            return
        if request.method == b"CONNECT":
            await self._tunnel(guest, request)
        else:
            host, port, path = destination(request)
            plain = host in self._policy.plain_secrets
            await self._forward(guest, request, Route(host, port, path, encrypted=plain))

    async def _forward(
        self, guest: Peer, request: h11.Request, route: Route, tls: ssl.SSLContext | None = None
    ) -> None:
        target = Target.of(route.host, route.port, request.method)
        async with self._attempt(target, carried(request, route, self.secrets)):
            self._policy.check(route.host, route.port)
            outgoing(request, route, self.secrets)
            await self._resolver.addresses(route.host)
        reader, writer = await self._resolver.connect(route.host, route.port, tls)
        async with _closing(writer):
            outside = Peer(h11.CLIENT, reader, writer, self.budget.spend)
            await self._record_denial(target, exchange(guest, request, route, self.secrets, outside))

    async def _tunnel(self, guest: Peer, request: h11.Request) -> None:
        host, port = tunnel(request)
        target = Target.of(host, port, b"CONNECT")
        async with self._attempt(target):
            self._policy.check(host, port)
            await self._resolver.addresses(host)
        await guest.send(h11.Response(status_code=200, headers=[]))
        hello, name = await self._record_denial(target, read_client_hello(guest.reader, self._policy.seconds))
        if name != host:
            async with self._attempt(Target.of(name, port, b"TLS")):
                raise EgressDenied(f"the TLS server name differs from the CONNECT host {host}")
        if self.ca is None:
            await self._relay_tls(guest, host, port, hello)
        else:
            await self._terminate_tls(guest, host, port, hello, self.ca.context(host))

    async def _relay_tls(self, guest: Peer, host: str, port: int, hello: bytes) -> None:
        streams = await self._resolver.connect(host, port)
        async with _closing(streams[1]):
            self.budget.spend(len(hello))
            streams[1].write(hello)
            await relay((guest.reader, guest.writer), streams, self.budget.spend)

    # --- TLS that is terminated here, so that secrets can be injected

    async def _terminate_tls(
        self, guest: Peer, host: str, port: int, hello: bytes, context: ssl.SSLContext
    ) -> None:
        inner, outer = socket.socketpair()
        far = await asyncio.open_unix_connection(sock=outer)
        far[1].write(hello)
        relaying = asyncio.create_task(relay((guest.reader, guest.writer), far, lambda size: None))
        try:
            reader, writer = await self._handshake(inner, context)
            async with _closing(writer):
                opened = Peer(h11.SERVER, reader, writer)
                await self._respond(opened, self._forward_decrypted(opened, host, port))
            await asyncio.wait({relaying}, timeout=self._policy.seconds)
        finally:
            relaying.cancel()
            far[1].close()
            await asyncio.wait({relaying})

    async def _handshake(self, end: socket.socket, context: ssl.SSLContext) -> Streams:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        # uvloop returns its own TLS protocol, which a StreamWriter cannot use.
        transport, _ = await loop.connect_accepted_socket(
            lambda: protocol, end, ssl=context, ssl_handshake_timeout=self._policy.seconds
        )
        return reader, asyncio.StreamWriter(transport, protocol, reader, loop)

    async def _forward_decrypted(self, guest: Peer, host: str, port: int) -> None:
        request = await guest.receive()
        if not isinstance(request, h11.Request):
            return
        route = Route(host, port, request.target, encrypted=True)
        await self._forward(guest, request, route, ssl.create_default_context())

    # --- the record

    @contextlib.asynccontextmanager
    async def _attempt(self, target: Target, secrets: tuple[str, ...] = ()) -> AsyncIterator[None]:
        """Count an attempt, and record whether it was allowed, why, and the secrets that go with it."""
        if self._exhausted:
            raise EgressDenied("the network budget of the run is exhausted")
        self.budget.count_request()
        try:
            yield
        except EgressDenied as no:
            await self._record(target.denied(no))
            raise
        await self._record(target.allowed(secrets))

    async def _record_denial(self, target: Target, work: Awaitable[_T]) -> _T:
        """Do what was allowed; if it is denied on the way, record that as well."""
        try:
            return await work
        except BudgetExhausted:
            raise
        except EgressDenied as no:
            await self._record(target.denied(no))
            raise

    async def _exhaust(self, why: BudgetExhausted) -> None:
        if not self._exhausted:
            self._exhausted = True
            await self._record(Target("", 0, "").denied(why))
            for task in self._serving - {asyncio.current_task()}:
                task.cancel()


class Target(NamedTuple):
    """The host, port and method of a request."""

    host: str
    port: int
    method: str

    @classmethod
    def of(cls, host: str, port: int, method: bytes) -> Target:
        """Return a target, its texts truncated for the record."""
        return cls(host[:253], port, method.decode("latin-1")[:16])

    def allowed(self, secrets: tuple[str, ...] = ()) -> NetworkAttempt:
        """Return the event of an attempt that was allowed."""
        return NetworkAttempt(**self._asdict(), allowed=True, why="granted", secrets=secrets)

    def denied(self, why: EgressDenied) -> NetworkAttempt:
        """Return the event of an attempt that was denied."""
        return NetworkAttempt(**self._asdict(), allowed=False, why=str(why))


@contextlib.asynccontextmanager
async def _closing(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    try:
        yield
    finally:
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(1):
                await writer.wait_closed()
