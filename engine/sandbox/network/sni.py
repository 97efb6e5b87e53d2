"""The server name in a TLS ClientHello, read by OpenSSL."""

from __future__ import annotations

import asyncio
import contextlib
import ssl

from engine.sandbox.api.egress_policy import EgressDenied

_MAX_BYTES = 64 * 1024


async def read_client_hello(reader: asyncio.StreamReader, seconds: float) -> tuple[bytes, str]:
    """Return the bytes of a ClientHello and its server name. Raises EgressDenied."""
    hello = b""
    try:
        async with asyncio.timeout(seconds):
            while (name := server_name(hello)) is None:
                piece = await reader.read(_MAX_BYTES)
                if not piece or len(hello) > _MAX_BYTES:
                    raise EgressDenied("no TLS ClientHello was received")
                hello += piece
    except TimeoutError:
        raise EgressDenied("no TLS ClientHello was received in time") from None
    return hello, name


def server_name(hello: bytes) -> str | None:
    """Return the server name of a ClientHello, or None if more bytes are needed.

    Raises EgressDenied: it is not TLS, or has no server name.
    """
    if not hello:
        return None
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def record(connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> int:
        names.append(name)
        return int(ssl.ALERT_DESCRIPTION_HANDSHAKE_FAILURE)

    context.sni_callback = record
    incoming = ssl.MemoryBIO()
    incoming.write(hello)
    with contextlib.suppress(ssl.SSLError):
        try:
            context.wrap_bio(incoming, ssl.MemoryBIO(), server_side=True).do_handshake()
        except ssl.SSLWantReadError:
            return None
    if not names:
        raise EgressDenied("the data after CONNECT is not TLS")
    if not names[0]:
        raise EgressDenied("the TLS ClientHello has no server name")
    return names[0].lower()
