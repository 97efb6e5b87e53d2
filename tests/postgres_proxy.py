"""Stands between an engine and PostgreSQL, and cuts the line at a commit."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Literal
from urllib.parse import urlsplit

Cut = Literal["before", "after"]


class CuttingProxy:
    """Forwards connections. Armed, it cuts the next that commits: before the server hears of it, or after."""

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._cut: Cut | None = None
        self.cuts = 0
        self.round_trips = 0
        """How often a request followed an answer."""
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The URL of the database through this proxy."""
        port = self._listener.getsockname()[1]
        return self._parts._replace(netloc=f"{self._parts.username}@127.0.0.1:{port}").geturl()

    def arm(self, cut: Cut) -> None:
        """Cut the next connection that commits."""
        self._cut = cut

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection((str(self._parts.hostname), self._parts.port or 0))
                threading.Thread(target=self._requests, args=(client, server), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        answered = threading.Event()
        threading.Thread(target=_forward, args=(server, client, answered), daemon=True).start()
        with contextlib.suppress(OSError):
            while data := client.recv(1 << 16):
                self.round_trips += answered.is_set()
                answered.clear()
                cut, self._cut = (self._cut, None) if b"COMMIT" in data else (None, self._cut)
                if cut:
                    self._end(cut, data, client, server)
                    return
                server.sendall(data)
        server.close()

    def _end(self, cut: Cut, data: bytes, client: socket.socket, server: socket.socket) -> None:
        """Cut both lines: the client gets no answer, the server perhaps the request."""
        self.cuts += 1
        client.shutdown(socket.SHUT_RDWR)
        if cut == "after":
            server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        else:
            server.shutdown(socket.SHUT_RDWR)


def _forward(source: socket.socket, target: socket.socket, answered: threading.Event) -> None:
    with contextlib.suppress(OSError), source, target:
        while data := source.recv(1 << 16):
            answered.set()
            target.sendall(data)
