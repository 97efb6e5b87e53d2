"""The name in a TLS greeting, read by OpenSSL itself."""

from __future__ import annotations

import asyncio
import contextlib
import ssl

from engine.sandbox.api.egress_policy import EgressDenied

_MOST = 64 * 1024


async def read_client_hello(
    reader: asyncio.StreamReader, seconds: float, first: bytes = b""
) -> tuple[bytes, str]:
    """Return the bytes of a TLS greeting, and the name that it asks for. Raises EgressDenied."""
    first_bytes = first
    try:
        async with asyncio.timeout(seconds):
            while (name := server_name(first_bytes)) is None:
                piece = await reader.read(_MOST)
                if not piece or len(first_bytes) > _MOST:
                    raise EgressDenied("no TLS greeting came")
                first_bytes += piece
    except TimeoutError:
        raise EgressDenied("no TLS greeting came in time") from None
    return first_bytes, name


def server_name(first_bytes: bytes) -> str | None:
    """Return the server name that the greeting asks for, or None where more bytes are needed.

    Raises EgressDenied: it is no TLS, or asks for no name.
    """
    if not first_bytes:
        return None
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def record_name(connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> int:
        names.append(name)
        return int(ssl.ALERT_DESCRIPTION_HANDSHAKE_FAILURE)

    context.sni_callback = record_name
    incoming = ssl.MemoryBIO()
    incoming.write(first_bytes)
    with contextlib.suppress(ssl.SSLError):
        try:
            context.wrap_bio(incoming, ssl.MemoryBIO(), server_side=True).do_handshake()
        except ssl.SSLWantReadError:
            return None
    if not names:
        raise EgressDenied("what follows CONNECT is not TLS")
    if not names[0]:
        raise EgressDenied("the TLS greeting names no host")
    return names[0].lower()
