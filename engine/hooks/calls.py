"""What a coding agent wants to do, as its hook message says it."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_BYTES = 1 << 20
"""Bytes of a message."""


class Refusal(Exception):
    """A message that no decision can rest on; its text says why, for the agent's model."""


class Call:
    """A command that an agent wants to run in a folder; `input` is all that its tool is called with."""

    def __init__(self, command: str, input: dict[str, Any], folder: str = "") -> None:
        self.command = command
        self.input = input
        self.folder = folder

    @property
    def description(self) -> str:
        """What the agent says that the command is for."""
        said = self.input.get("description")
        return said if isinstance(said, str) else ""


def read_call(message: bytes, tools: tuple[str, ...]) -> Call:
    """Return the call of a message.

    Raises:
        Refusal: it is no message about a command of one of the tools.
    """
    if len(message) > MOST_BYTES:
        raise Refusal(f"the call is larger than {MOST_BYTES} bytes")
    try:
        fields = json.loads(message)
    except (ValueError, RecursionError):
        raise Refusal("the hook's message is not JSON") from None
    if not isinstance(fields, dict):
        raise Refusal("the hook's message is not an object")
    return _call(fields, tools)


def _call(fields: dict[str, Any], tools: tuple[str, ...]) -> Call:
    tool, given = fields.get("tool_name"), fields.get("tool_input")
    if not isinstance(tool, str) or tool not in tools:
        raise Refusal(f"this hook knows the tool {', '.join(tools)} only")
    if not isinstance(given, dict):
        raise Refusal("the tool has no input")
    if given.get("is_input"):
        raise Refusal("input to a program that runs cannot be analysed")
    folder = fields.get("cwd") or fields.get("working_dir")
    return Call(_command(given), given, folder if isinstance(folder, str) else "")


def _command(given: dict[str, Any]) -> str:
    command = given.get("command")
    if not isinstance(command, str) or not command.strip():
        raise Refusal("the tool is called without a command")
    try:
        command.encode()
    except UnicodeEncodeError:
        raise Refusal("the command is not text") from None
    return command
