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
    """Return the bytes of a TLS greeting, and the name that it asks for. Raises Refused."""
    said = first
    try:
        async with asyncio.timeout(seconds):
            while (name := server_name(said)) is None:
                piece = await reader.read(_MOST)
                if not piece or len(said) > _MOST:
                    raise EgressDenied("no TLS greeting came")
                said += piece
    except TimeoutError:
        raise EgressDenied("no TLS greeting came in time") from None
    return said, name


def server_name(said: bytes) -> str | None:
    """Return the server name that the greeting asks for, or None where more bytes are needed.

    Raises Refused: it is no TLS, or asks for no name.
    """
    if not said:
        return None
    heard: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def hear(connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> int:
        heard.append(name)
        return int(ssl.ALERT_DESCRIPTION_HANDSHAKE_FAILURE)

    context.sni_callback = hear
    incoming = ssl.MemoryBIO()
    incoming.write(said)
    with contextlib.suppress(ssl.SSLError):
        try:
            context.wrap_bio(incoming, ssl.MemoryBIO(), server_side=True).do_handshake()
        except ssl.SSLWantReadError:
            return None
    if not heard:
        raise EgressDenied("what follows CONNECT is not TLS")
    if not heard[0]:
        raise EgressDenied("the TLS greeting names no host")
    return heard[0].lower()
