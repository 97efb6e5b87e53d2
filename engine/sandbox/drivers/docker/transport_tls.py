"""Makes a TLS stream of Docker available as a plain socket.

The client's TLS connection cannot be given to the event loop, so one thread copies its bytes. Only that
thread uses the connection: OpenSSL connections are not thread-safe.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import threading
from collections.abc import Callable

_PIECE = 64 * 1024
_MAX_BUFFERED = 256 * 1024


def plain_socket(tls: ssl.SSLSocket, on_close: Callable[[], None]) -> socket.socket:
    """Return a socket with the contents of a TLS connection. `on_close` is called when both are closed."""
    ours, theirs = socket.socketpair()
    for end in (tls, ours, theirs):
        end.setblocking(False)
    threading.Thread(target=_copy, args=(tls, theirs, on_close), name="docker-tls", daemon=True).start()
    return ours


def _copy(tls: ssl.SSLSocket, plain: socket.socket, on_close: Callable[[], None]) -> None:
    with contextlib.closing(plain), contextlib.suppress(OSError):
        _copy_until_closed(tls, plain)
    with contextlib.suppress(OSError):
        on_close()


def _copy_until_closed(tls: ssl.SSLSocket, plain: socket.socket) -> None:
    """Copy bytes in both directions; received bytes are delivered before the end of the stream."""
    inward, outward, open_ = bytearray(), bytearray(), True
    while open_ or inward:
        _wait(tls, plain, inward, outward, open_)
        if open_ and len(inward) < _MAX_BUFFERED:
            open_ = _receive(tls, inward)
        if len(outward) < _MAX_BUFFERED and not _receive(plain, outward) and not outward:
            return
        if open_:
            _send(tls, outward)
        _send(plain, inward)


def _wait(
    tls: ssl.SSLSocket, plain: socket.socket, inward: bytearray, outward: bytearray, open_: bool
) -> None:
    if open_ and tls.pending() and len(inward) < _MAX_BUFFERED:
        return
    readers = [tls] * (open_ and len(inward) < _MAX_BUFFERED) + [plain] * (len(outward) < _MAX_BUFFERED)
    writers = [tls] * (open_ and bool(outward)) + [plain] * bool(inward)
    select.select(readers, writers, [])


def _receive(source: socket.socket, into: bytearray) -> bool:
    """Read what is available; return whether more may follow. Raises OSError."""
    try:
        data = source.recv(_PIECE)
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return True
    except ssl.SSLEOFError:
        return False
    into += data
    return bool(data)


def _send(target: socket.socket, buffer: bytearray) -> None:
    """Write as much of the buffer as possible. Raises OSError."""
    while buffer:
        try:
            sent = target.send(bytes(buffer[:_PIECE]))
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        del buffer[:sent]
