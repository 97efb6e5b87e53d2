"""Kills a run, or stops the engine, before anything large is imported: whoever brakes does not wait.

It speaks HTTP over the local socket with the standard library alone. What it cannot do, such as a remote
engine or any answer but success, the command line does after it, with its errors for people: both may be
repeated.
"""

from __future__ import annotations

import os
import socket
import sys

DEADLINE_SECONDS = 30.0
KILL_SECONDS = 10
"""How long a killed run may take to finish."""
REMOTE = "PRATIQUE_ENGINE"


def brake(arguments: list[str]) -> bool:
    """Do `kill ID` or `stop` and print what was done; return whether that was possible."""
    match arguments:
        case ["kill", id] if _is_id(id):
            done = _post(f"/v1/runs/{id}/kill") and _answers(
                "GET", f"/v1/submissions/{id}?within={KILL_SECONDS}"
            )
            return done and _say(f"{id}: killed")
        case ["stop"]:
            return _post("/v1/shutdown") and _say("The engine is stopping.")
    return False


def _is_id(text: str) -> bool:
    return text.isascii() and text.replace("-", "").isalnum() and not text.startswith("-")


def _say(text: str) -> bool:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    return True


def _post(path: str) -> bool:
    return _answers("POST", path)


def _answers(method: str, path: str) -> bool:
    """Return whether the local engine answers a request with success."""
    if os.environ.get(REMOTE):
        return False
    from engine import locations  # noqa: PLC0415  the console starts without it
    from engine.common.errors import Problem  # noqa: PLC0415

    request = f"{method} {path} HTTP/1.1\r\nhost: engine\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(DEADLINE_SECONDS)
            connection.connect(str(locations.socket()))
            connection.sendall(request.encode("ascii"))
            with connection.makefile("rb") as answer:
                return answer.readline(100).startswith(b"HTTP/1.1 2")
    except (OSError, Problem):
        return False
