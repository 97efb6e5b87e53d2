"""Messages as coding agents send them to their hooks."""

from __future__ import annotations

import json

TOOLS = {"claude": "Bash", "codex": "Bash", "gemini": "run_shell_command", "openhands": "terminal"}
PROVEN = "echo hello | tr a-z A-Z"
UNPROVEN = "rm -rf build"


def message(agent: str, command: object = PROVEN, **input: object) -> bytes:
    """Return what an agent sends before it runs a command."""
    given = {"command": command, "description": "Say hello", **input}
    if agent == "openhands":
        fields = {"event_type": "PreToolUse", "session_id": "c-1", "working_dir": "/tmp", "metadata": {}}
    else:
        event = "BeforeTool" if agent == "gemini" else "PreToolUse"
        fields = {
            "session_id": "c-1",
            "transcript_path": "/tmp/t.jsonl",
            "cwd": "/tmp",
            "hook_event_name": event,
        }
    if agent in {"claude", "codex"}:
        fields |= {"permission_mode": "default", "tool_use_id": "use-1"}
    return json.dumps({**fields, "tool_name": TOOLS[agent], "tool_input": given}).encode()
