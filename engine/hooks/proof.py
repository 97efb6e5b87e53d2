"""Asks a living engine over its socket about a command, with the standard library alone."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECONDS = 8.0
"""How long the engine may take for each part of its answer."""
MOST_BYTES = 16 << 20
"""Bytes of an answer."""
REMOTE = "PRATIQUE_ENGINE"
HARMLESS = "harmless"
PATH = "/v1/command-checks"
_PEER = struct.Struct("3i")


class NoEngine(Exception):
    """No engine of this user answers at the socket."""


def check(command: str, agent: str) -> dict[str, Any]:
    """Return what analysis and policy say about a command of an agent, as the engine at the socket answers.

    Raises:
        NoEngine: none answers there, or something else does.
    """
    if os.environ.get(REMOTE):
        raise NoEngine
    body = json.dumps({"command": command, "requester": agent}).encode()
    head = (
        f"POST {PATH} HTTP/1.1\r\nhost: engine\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return _body_of(_exchange(head.encode("ascii") + body))


def passes(found: dict[str, Any]) -> bool:
    """Return whether the analysis is a proof of the whole command, and neither policy nor block binds it."""
    analysis = found.get("analysis")
    proven = (
        isinstance(analysis, dict)
        and analysis.get("verdict") == HARMLESS
        and analysis.get("complete") is True
    )
    return proven and found.get("refused") == "" and found.get("held") == ""


def _exchange(request: bytes) -> bytes:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(SECONDS)
            connection.connect(_socket())
            _require_own(connection)
            connection.sendall(request)
            with connection.makefile("rb") as answer:
                return answer.read(MOST_BYTES + 1)
    except OSError:
        raise NoEngine from None


def _socket() -> str:
    """Return the path of the engine's socket; where the environment names it, as `locations.socket` does."""
    if home := os.environ.get("PRATIQUE_HOME"):
        return os.path.join(os.path.abspath(os.path.expanduser(home)), "run", "engine.sock")  # noqa: PTH118, PTH100, PTH111
    if (runtime := os.environ.get("XDG_RUNTIME_DIR", "").strip()) and sys.platform == "linux":
        return os.path.join(runtime, "pratique", "engine.sock")  # noqa: PTH118
    return _looked_up()


def _looked_up() -> str:
    from engine import locations  # noqa: PLC0415
    from engine.common.errors import Problem  # noqa: PLC0415

    try:
        return str(locations.socket())
    except Problem:
        raise NoEngine from None


def _require_own(connection: socket.socket) -> None:
    """Refuse a listener that another user's process put there."""
    kind = getattr(socket, "SO_PEERCRED", None)
    if kind is None:
        return
    _, user, _ = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, kind, _PEER.size))
    if user != os.geteuid():
        raise NoEngine


def _body_of(answer: bytes) -> dict[str, Any]:
    """Return the body of an answer that is whole and a success."""
    head, found, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    headers = dict(line.lower().split(b":", 1) for line in lines if b":" in line)
    if not (found and status.startswith(b"HTTP/1.1 200 ")):
        raise NoEngine
    if headers.get(b"content-length", b"").strip() != str(len(body)).encode():
        raise NoEngine
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):
        raise NoEngine from None
    if not isinstance(read, dict):
        raise NoEngine
    return read
