"""Asks a running kernel of gVisor for its events, over its control socket, as `runsc trace create` does.

The protocol is gVisor's own: `pkg/urpc`, `runsc/boot/controller.go`, `pkg/sentry/seccheck/sinks/remote`. A
process of runsc takes four times the processor time, and gives the socket a buffer for some 270 events.
"""

from __future__ import annotations

import json
import os
import socket
import time
from typing import Any

from engine.sandbox.observed.wire import HANDSHAKE

SEND_BYTES = 32 << 20
"""gVisor drops events that do not fit. The kernel counts twice of it, and some 770 bytes for an event."""
_METHOD = "containerManager.CreateTraceSession"
_MOST_BYTES = 1 << 16
_MOST_WORDS = 200
_SO_SNDBUFFORCE = 32


def create_trace_session(
    root: str, container: str, endpoint: str, session: dict[str, Any], seconds: float
) -> str:
    """Let a container's kernel send its events to a Unix socket; return why it refused, or nothing.

    `root` is the folder in which runsc keeps its state. Raises OSError: one of both does not answer in time.
    """
    until = time.monotonic() + seconds
    with _events(endpoint, until) as events, _control(root, container, until) as control:
        call = {"method": _METHOD, "arg": {"Config": session, "Force": False}}
        sent = json.dumps(call).encode()
        done = socket.send_fds(control, [sent], [events.fileno()])
        control.sendall(sent[done:])
        return _refusal(_answer(control, until))


def _events(endpoint: str, until: float) -> socket.socket:
    """Return a socket that the listener has accepted, ready to be sent on by gVisor."""
    events = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        events.setsockopt(socket.SOL_SOCKET, _SO_SNDBUFFORCE, SEND_BYTES)
        _connect(events, endpoint, until)
        events.send(HANDSHAKE)
        events.recv(_MOST_BYTES)
        events.setblocking(False)  # gVisor must not wait for the listener
    except BaseException:
        events.close()
        raise
    return events


def _control(root: str, container: str, until: float) -> socket.socket:
    folder = os.open(root, os.O_PATH | os.O_DIRECTORY)
    control = socket.socket(socket.AF_UNIX)
    try:
        # the path itself is longer than the address of a socket may be
        _connect(control, f"/proc/self/fd/{folder}/runsc-{container}.sock", until)
    except BaseException:
        control.close()
        raise
    finally:
        os.close(folder)
    return control


def _connect(connection: socket.socket, address: str, until: float) -> None:
    connection.settimeout(_left(until))
    connection.connect(address)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("it does not answer in time")
    return left


def _answer(control: socket.socket, until: float) -> dict[str, Any]:
    """Return the one JSON object that comes back; an empty one where it is none."""
    received = b""
    while len(received) < _MOST_BYTES:
        control.settimeout(_left(until))
        if not (some := control.recv(_MOST_BYTES)):
            break
        received += some
        try:
            found = json.loads(received)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def _refusal(answer: dict[str, Any]) -> str:
    if answer.get("success") is True:
        return ""
    return f"gVisor refused: {str(answer.get('err') or 'it gives no reason')[:_MOST_WORDS]}"
