"""The forward proxy of one run: the only way out, by grant, and every attempt is recorded first."""

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
from engine.sandbox.network.http_forward import check_host, destination, exchange, tunnel
from engine.sandbox.network.http_peer import Peer
from engine.sandbox.network.relay import relay
from engine.sandbox.network.resolver import PinnedResolver, Streams
from engine.sandbox.network.secret_injection import SecretInjector
from engine.sandbox.network.sni import read_client_hello

_T = TypeVar("_T")
Record = Callable[[NetworkAttempt], Awaitable[None]]
"""Called with each attempt, and done before anything goes out."""


class Proxy:
    """Serves the connections that a bridge brings. What it did not let out did not go out."""

    def __init__(self, policy: EgressPolicy, record: Record, secrets: SecretInjector | None = None) -> None:
        self.budget = Budget(policy.requests, policy.bytes)
        self.secrets = secrets or SecretInjector()
        self.authority = EphemeralCA() if self.secrets else None
        self._policy = policy
        self._record = record
        self._resolver = PinnedResolver(policy)
        self._serving: set[asyncio.Task[None]] = set()
        self._over = False

    def serve(self, end: socket.socket) -> None:
        """Serve one connection, which is closed afterwards."""
        task = asyncio.create_task(self._serve(end))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def close(self) -> None:
        """End every connection."""
        self._over = True
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)

    # --- one connection

    async def _serve(self, end: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=end)
        guest = Peer(h11.SERVER, reader, writer)
        async with _closing(writer):
            await self._answering(guest, self._first(guest))

    async def _answering(self, guest: Peer, answer: Awaitable[None]) -> None:
        """Answer, or say why not, where that still can be said."""
        with contextlib.suppress(OSError, h11.ProtocolError):
            try:
                await answer
            except BudgetExhausted as used_up:
                await self._use_up(used_up)
                await guest.refuse(403, str(used_up))
            except EgressDenied as no:
                await guest.refuse(403, str(no))
            except h11.ProtocolError as error:
                await guest.refuse(400, str(error))
            except (OSError, TimeoutError) as error:
                await guest.refuse(502, f"the host does not answer: {error}")

    async def _first(self, guest: Peer) -> None:
        request = await guest.receive()
        if not isinstance(request, h11.Request):
            return
        if request.method == b"CONNECT":
            await self._connect(guest, request)
        else:
            host, port, path = destination(request)
            await self._plain(guest, request, host, port, path)

    async def _plain(self, guest: Peer, request: h11.Request, host: str, port: int, path: bytes) -> None:
        target = Target.of(host, port, request.method)
        async with self._attempt(target):
            self._policy.check(host, port)
            check_host(request, host, port)
            self.secrets.fill(host, path, list(request.headers))
            await self._resolver.addresses(host)
        reader, writer = await self._resolver.connect(host, port)
        async with _closing(writer):
            outside = Peer(h11.CLIENT, reader, writer, self.budget.spend)
            await self._watched(target, exchange(guest, request, path, host, self.secrets, outside))

    async def _connect(self, guest: Peer, request: h11.Request) -> None:
        host, port = tunnel(request)
        target = Target.of(host, port, b"CONNECT")
        async with self._attempt(target):
            self._policy.check(host, port)
            await self._resolver.addresses(host)
        await guest.send(h11.Response(status_code=200, headers=[]))
        first_bytes, name = await self._watched(
            target, read_client_hello(guest.reader, self._policy.seconds, guest.left_over)
        )
        if name != host:
            async with self._attempt(Target.of(name, port, b"TLS")):
                raise EgressDenied(f"TLS asks for another name than CONNECT did: {host}")
        if self.authority is None:
            await self._pass_on(guest, host, port, first_bytes)
        else:
            await self._open(guest, host, port, first_bytes, self.authority.context(host))

    async def _pass_on(self, guest: Peer, host: str, port: int, first_bytes: bytes) -> None:
        streams = await self._resolver.connect(host, port)
        async with _closing(streams[1]):
            self.budget.spend(len(first_bytes))
            streams[1].write(first_bytes)
            await relay((guest.reader, guest.writer), streams, self.budget.spend)

    # --- TLS that is opened, because a secret must be put in

    async def _open(
        self, guest: Peer, host: str, port: int, first_bytes: bytes, context: ssl.SSLContext
    ) -> None:
        inner, outer = socket.socketpair()
        far = await asyncio.open_unix_connection(sock=outer)
        far[1].write(first_bytes)
        carrying = asyncio.create_task(relay((guest.reader, guest.writer), far, lambda size: None))
        try:
            reader, writer = await self._handshake(inner, context)
            async with _closing(writer):
                opened = Peer(h11.SERVER, reader, writer)
                await self._answering(opened, self._inside(opened, host, port))
            await asyncio.wait({carrying}, timeout=self._policy.seconds)
        finally:
            carrying.cancel()
            far[1].close()
            await asyncio.wait({carrying})

    async def _handshake(self, end: socket.socket, context: ssl.SSLContext) -> Streams:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        transport, protocol = await loop.connect_accepted_socket(
            lambda: asyncio.StreamReaderProtocol(reader),
            end,
            ssl=context,
            ssl_handshake_timeout=self._policy.seconds,
        )
        return reader, asyncio.StreamWriter(transport, protocol, reader, loop)

    async def _inside(self, guest: Peer, host: str, port: int) -> None:
        request = await guest.receive()
        if not isinstance(request, h11.Request):
            return
        target = Target.of(host, port, request.method)
        async with self._attempt(target):
            check_host(request, host, port)
            self.secrets.fill(host, request.target, list(request.headers))
        reader, writer = await self._resolver.connect(host, port, ssl.create_default_context())
        async with _closing(writer):
            outside = Peer(h11.CLIENT, reader, writer, self.budget.spend)
            await self._watched(target, exchange(guest, request, request.target, host, self.secrets, outside))

    # --- the record

    @contextlib.asynccontextmanager
    async def _attempt(self, target: Target) -> AsyncIterator[None]:
        """Count an attempt, and record whether it was let out, and why."""
        if self._over:
            raise EgressDenied("the run's network is used up")
        self.budget.count_request()
        try:
            yield
        except EgressDenied as no:
            await self._record(target.denied(no))
            raise
        await self._record(target.allowed())

    async def _watched(self, target: Target, work: Awaitable[_T]) -> _T:
        """Do what was let out; what must be stopped on the way is recorded, too."""
        try:
            return await work
        except BudgetExhausted:
            raise
        except EgressDenied as no:
            await self._record(target.denied(no))
            raise

    async def _use_up(self, why: BudgetExhausted) -> None:
        if not self._over:
            self._over = True
            await self._record(Target("", 0, "").denied(why))
            for task in self._serving - {asyncio.current_task()}:
                task.cancel()


class Target(NamedTuple):
    """What a guest asks for."""

    host: str
    port: int
    method: str

    @classmethod
    def of(cls, host: str, port: int, method: bytes) -> Target:
        """Return a target, its texts cut to what is recorded."""
        return cls(host[:253], port, method.decode("latin-1")[:16])

    def allowed(self) -> NetworkAttempt:
        """Return the event of an attempt that was let through."""
        return NetworkAttempt(**self._asdict(), allowed=True, why="granted")

    def denied(self, why: EgressDenied) -> NetworkAttempt:
        """Return the event of an attempt that was refused."""
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
