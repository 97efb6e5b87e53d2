"""The Internet of one rehearsal: it serves the connections that the relay in the sandbox carries out.

It opens no connection of its own. HostNames, certificates and answers are made up for this rehearsal alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import ssl
import struct
from datetime import timedelta

from engine.common.text import Untrusted
from engine.models import Language
from engine.models.rehearsal import FindingKind, RehearsalFinding
from engine.sandbox.network.ephemeral_ca import EphemeralCA
from engine.sandbox.network.resolver import Streams
from engine.sandbox.rehearsal.answers import Bait
from engine.sandbox.rehearsal.conversation import SILENCE, Conversation
from engine.sandbox.rehearsal.decoys import Decoys
from engine.sandbox.rehearsal.names import HostNames, read_question
from engine.sandbox.rehearsal.record import SinkholeRecord

_MOST_HEAD = 40
_HANDSHAKE_SECONDS = 10.0
_TLS = 0x16
_DATAGRAM = struct.Struct(">H4sH4sH")
_MOST_DATAGRAMS = 2000


class Sinkhole:
    """Answers in the place of every host, and records what arrives."""

    def __init__(self, decoys: Decoys, language: Language) -> None:
        self.ca = EphemeralCA("Global Trust Root R2", timedelta(days=700))
        self.record = SinkholeRecord(decoys)
        self._names = HostNames()
        self._bait = Bait(language, decoys.values["AWS key"])
        self._serving: set[asyncio.Task[None]] = set()
        self._permanent: set[asyncio.Task[None] | None] = set()
        self._drained = asyncio.Event()

    def serve(self, end: socket.socket) -> None:
        """Serve one channel of the relay, then close it."""
        task = asyncio.create_task(self._serve(end))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def settle(self, seconds: float) -> None:
        """Wait until everything that was sent has been taken, for so long at most."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._drained.wait()
                while left := self._serving - self._permanent:
                    await asyncio.wait(left, timeout=seconds)

    async def close(self) -> None:
        """End every connection, and search what arrived."""
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)
        await asyncio.to_thread(self.record.search)

    async def _serve(self, end: socket.socket) -> None:
        end.setblocking(False)
        try:
            kind, _, rest = (await _head(end)).partition(" ")
            if kind == "T":
                address, _, port = rest.partition(" ")
                await self._connection(end, self._names.name(address), int(port))
            elif kind == "D":
                self._permanent.add(asyncio.current_task())
                await self._datagrams(end)
            elif kind == "Z":
                end.close()
                self._drained.set()
        except (OSError, ValueError, asyncio.IncompleteReadError):
            return

    # --- connections

    async def _connection(self, end: socket.socket, host: str, port: int) -> None:
        if await _begins_with_tls(end):
            await self._encrypted(end, host, port)
            return
        reader, writer = await asyncio.open_unix_connection(sock=end)
        await self._talk((reader, writer), host, port)

    async def _encrypted(self, end: socket.socket, host: str, port: int) -> None:
        names = [host]

        def choose(connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
            if name and len(name) <= 253:
                names.append(name.lower())
                with contextlib.suppress(ValueError):
                    connection.context = self.ca.context(name.lower())

        context = self.ca.context(host)
        context.sni_callback = choose
        try:
            streams = await _handshake(end, context)
        except (OSError, TimeoutError):
            one = self.record.open(names[-1], port, "tls")
            one.method = "refused TLS"
            return
        await self._talk(streams, names[-1], port, encrypted=True)

    async def _talk(self, streams: Streams, host: str, port: int, *, encrypted: bool = False) -> None:
        try:
            conversation = Conversation(self.record, self._bait, host, port, streams, encrypted=encrypted)
            await conversation.go_through()
        finally:
            streams[1].close()

    # --- datagrams

    async def _datagrams(self, end: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=end)
        with contextlib.closing(writer):
            await self._answer_datagrams(reader, writer)

    async def _answer_datagrams(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(_MOST_DATAGRAMS):
            head = await reader.readexactly(_DATAGRAM.size)
            size, address, port, _, _ = _DATAGRAM.unpack(head)
            answer = self._datagram(str(ipaddress.IPv4Address(address)), port, await reader.readexactly(size))
            if answer:
                writer.write(_DATAGRAM.pack(len(answer), *_DATAGRAM.unpack(head)[1:]) + answer)
                await writer.drain()
        await reader.read()

    def _datagram(self, address: str, port: int, data: bytes) -> bytes:
        question = read_question(data) if port == 53 else None
        if question is None:
            host = "an unknown host" if port != 53 else self._names.name(address)
            self.record.open(host, port, "udp").add(data)
            return b""
        one = self.record.open(question.name, port, "dns")
        one.add(question.name.encode("latin-1", "replace"))
        if question.name.lower() == self._bait.name:
            self.record.found(
                RehearsalFinding(
                    kind=FindingKind.CONTROLLED,
                    subject="code",
                    where=Untrusted("downloaded code"),
                    contact=one.number,
                )
            )
        return self._names.answer(question)


async def _head(end: socket.socket) -> str:
    """Return the line that the relay begins a channel with, and nothing of what follows."""
    loop, line = asyncio.get_running_loop(), bytearray()
    async with asyncio.timeout(_HANDSHAKE_SECONDS):
        while not line.endswith(b"\n") and len(line) < _MOST_HEAD:
            byte = await loop.sock_recv(end, 1)
            if not byte:
                break
            line += byte
    return line.decode("ascii").rstrip("\n")


async def _begins_with_tls(end: socket.socket) -> bool:
    """Return whether a client speaks first, and TLS."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(end, readable.set)
    try:
        async with asyncio.timeout(SILENCE):
            await readable.wait()
        return end.recv(1, socket.MSG_PEEK)[:1] == bytes([_TLS])
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(end)


async def _handshake(end: socket.socket, context: ssl.SSLContext) -> Streams:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_accepted_socket(
        lambda: protocol, end, ssl=context, ssl_handshake_timeout=_HANDSHAKE_SECONDS
    )
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
