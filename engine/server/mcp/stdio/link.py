"""HTTP between `pratique mcp` and the engine, with the standard library alone: the process stays small."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

from engine import locations
from engine.common.errors import Problem

CONNECTIONS = "/mcp/connections/"
WAIT = "wait"
ANSWER_SECONDS = 30.0
LONGEST_LINE = 64 * 1024 * 1024
ENGINE = "PRATIQUE_ENGINE"
TOKEN = "PRATIQUE_TOKEN"  # noqa: S105  the name of a variable


class SocketConnection(http.client.HTTPConnection):
    """HTTP over the engine's Unix socket."""

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("engine", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class Link:
    """One agent's way to the engine: its address, and what proves who the agent is."""

    def __init__(self, proof: dict[str, str], wait: float | None) -> None:
        self._url = os.environ.get(ENGINE, "")
        self._headers = proof
        self._path = ""
        self._query = "" if wait is None else f"?{WAIT}={wait:g}"
        self._posts: http.client.HTTPConnection | None = None

    @property
    def is_local(self) -> bool:
        """Whether the engine is the one of this machine, which may be started."""
        return not self._url

    def open(self) -> http.client.HTTPResponse:
        """Open a connection, and return what the engine sends, after its first line.

        Raises:
            OSError: nobody answers.
            Problem: the engine refuses.
        """
        self._path = CONNECTIONS + quote(secrets.token_urlsafe(24))
        connection = self._connection()
        connection.request("GET", self._path + self._query, headers=self._headers)
        response = connection.getresponse()
        _check(response)
        response.readline()
        if connection.sock:
            connection.sock.settimeout(None)
        return response

    def lines(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        """Yield what the engine sends, line by line, until it ends."""
        try:
            while line := response.readline(LONGEST_LINE):
                if line.strip():
                    yield line
        except (OSError, http.client.HTTPException):
            return

    def post(self, line: bytes) -> None:
        """Send one message.

        Raises:
            OSError: the engine is gone.
            Problem: the engine refuses.
        """
        for fresh in (False, True):
            if self._posts is None or fresh:
                self._posts = self._connection()
            try:
                self._posts.request("POST", self._path, body=line, headers=self._headers)
                response = self._posts.getresponse()
                _check(response)
                response.read()
            except (ConnectionError, http.client.HTTPException) as error:
                self._posts.close()
                if fresh:
                    raise ConnectionError(str(error)) from None
            else:
                return

    def _connection(self) -> http.client.HTTPConnection:
        if self.is_local:
            return SocketConnection(locations.socket(), ANSWER_SECONDS)
        parts = urlsplit(self._url)
        if parts.scheme == "https":
            return http.client.HTTPSConnection(parts.netloc, timeout=ANSWER_SECONDS)
        return http.client.HTTPConnection(parts.netloc, timeout=ANSWER_SECONDS)


def _check(response: http.client.HTTPResponse) -> None:
    if response.status < 300:
        return
    try:
        body = json.loads(response.read(1 << 16))
        title, hint = str(body.get("title", "")), str(body.get("hint", ""))
    except ValueError:
        title, hint = "", ""
    response.close()
    raise Problem(response.status, title or f"the engine answered {response.status}", hint=hint)
