"""The channels of an attached or executed program within the messages of a WebSocket. Pure.

Every binary message begins with the number of its channel (`v4.channel.k8s.io` and `v5.channel.k8s.io`).
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from engine.models import Stream

PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
"""The subprotocols that are asked for, the best first."""
_STDIN, _STDOUT, _STDERR, _STATUS, _CLOSED = 0, 1, 2, 3, 255
_STREAMS = {_STDOUT: Stream.STDOUT, _STDERR: Stream.STDERR}
MOST_STATUS_BYTES = 64 * 1024


class ChannelError(Exception):
    """A message that no API server sends."""


class ChannelEnd(NamedTuple):
    """How a stream ended, by the API server's status."""

    succeeded: bool
    exit_code: int | None
    """Of an executed program; an attached one's is not told."""
    message: str


def stdin(data: bytes) -> bytes:
    """Return the message that carries bytes to standard input."""
    return b"\0" + data


def decode(message: bytes) -> tuple[Stream, bytes] | ChannelEnd | None:
    """Return a message's output or its end; None where it carries nothing. Raises ChannelError."""
    if not message:
        raise ChannelError("a message without a channel")
    channel, data = message[0], message[1:]
    if channel in _STREAMS:
        return (_STREAMS[channel], data) if data else None
    if channel == _STATUS:
        return _end(data) if data else None
    if channel == _CLOSED and len(data) == 1:
        return None
    raise ChannelError(f"a message on channel {channel}")


def _end(data: bytes) -> ChannelEnd:
    if len(data) > MOST_STATUS_BYTES:
        raise ChannelError("a status that is too large")
    try:
        status: Any = json.loads(data)
    except (ValueError, RecursionError):
        raise ChannelError("a status that is not JSON") from None
    if not isinstance(status, dict):
        raise ChannelError("a status that is not an object")
    succeeded = status.get("status") == "Success"
    return ChannelEnd(succeeded, 0 if succeeded else _exit_code(status), str(status.get("message", ""))[:400])


def _exit_code(status: dict[str, Any]) -> int | None:
    """Return the exit code among the causes of a failure."""
    details = status.get("details")
    causes = details.get("causes") if isinstance(details, dict) else None
    for cause in causes if isinstance(causes, list) else []:
        if isinstance(cause, dict) and cause.get("reason") == "ExitCode":
            text = str(cause.get("message", ""))
            return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else None
    return None
