"""A stream of a Docker that is spoken to over TLS, as a plain socket.

The client's TLS connection cannot be handed to the event loop, so one thread carries its bytes. It alone
touches the connection: OpenSSL's are not for two threads.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import threading
from collections.abc import Callable

_PIECE = 64 * 1024
_MOST = 256 * 1024


def unwrapped(tls: ssl.SSLSocket, let_go: Callable[[], None]) -> socket.socket:
    """Return a socket that carries what a TLS connection carries. `let_go` is called when both have ended."""
    ours, theirs = socket.socketpair()
    for end in (tls, ours, theirs):
        end.setblocking(False)
    threading.Thread(target=_carry, args=(tls, theirs, let_go), name="docker-tls", daemon=True).start()
    return ours


def _carry(tls: ssl.SSLSocket, plain: socket.socket, let_go: Callable[[], None]) -> None:
    with contextlib.closing(plain), contextlib.suppress(OSError):
        _until_one_ends(tls, plain)
    with contextlib.suppress(OSError):
        let_go()


def _until_one_ends(tls: ssl.SSLSocket, plain: socket.socket) -> None:
    """Carry bytes both ways; what has come in is delivered before the end is passed on."""
    inward, outward, open_ = bytearray(), bytearray(), True
    while open_ or inward:
        _wait(tls, plain, inward, outward, open_)
        if open_ and len(inward) < _MOST:
            open_ = _take(tls, inward)
        if len(outward) < _MOST and not _take(plain, outward) and not outward:
            return
        if open_:
            _give(tls, outward)
        _give(plain, inward)


def _wait(
    tls: ssl.SSLSocket, plain: socket.socket, inward: bytearray, outward: bytearray, open_: bool
) -> None:
    if open_ and tls.pending() and len(inward) < _MOST:
        return
    readers = [tls] * (open_ and len(inward) < _MOST) + [plain] * (len(outward) < _MOST)
    writers = [tls] * (open_ and bool(outward)) + [plain] * bool(inward)
    select.select(readers, writers, [])


def _take(source: socket.socket, into: bytearray) -> bool:
    """Read what is there; say whether more may come. Raises OSError."""
    try:
        data = source.recv(_PIECE)
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return True
    except ssl.SSLEOFError:
        return False
    into += data
    return bool(data)


def _give(target: socket.socket, held: bytearray) -> None:
    """Write what is held, as far as it goes. Raises OSError."""
    while held:
        try:
            sent = target.send(bytes(held[:_PIECE]))
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        del held[:sent]
