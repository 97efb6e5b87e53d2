"""The answer to `initialize`, which needs no engine: the same that the engine's server gives."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The protocol revisions of the handshake, the latest last."""
EXTENSION = "io.modelcontextprotocol/tasks"
NAME = "pratique"
TITLE = "Pratique: reviewed code in a sandbox"
INSTRUCTIONS = (
    "Pratique runs code in sessions after a person has approved it. Say in `purpose` what the code is for: "
    "it decides faster than the code. Small programs that do one thing are approved soonest. "
    "After pending_approval call code_result, and do other work meanwhile."
)


def initialized(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to an `initialize` request."""
    wanted = (asked.get("params") or {}).get("protocolVersion")
    result = {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[-1],
        "capabilities": {
            "resources": {"subscribe": False, "listChanged": False},
            "tools": {"listChanged": False},
        },
        "serverInfo": {"name": NAME, "title": TITLE, "version": version("pratique")},
        "instructions": INSTRUCTIONS,
    }
    return answer(asked["id"], result)


def answer(id: object, result: dict[str, Any]) -> dict[str, Any]:
    """Return a result as a message."""
    return {"jsonrpc": "2.0", "id": id, "result": result}


def error(id: object, code: int, message: str) -> dict[str, Any]:
    """Return an error as a message."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


def line_of(message: dict[str, Any]) -> bytes:
    """Return a message as a line."""
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"
