"""The coding agents whose hooks are known: what they send, and what they understand.

| agent | event | tool | may be told |
|---|---|---|---|
| Claude Code | PreToolUse | Bash | allow, deny, ask, another input |
| Codex | PreToolUse | Bash | deny, another input; nothing where it may go on |
| Gemini CLI | BeforeTool | run_shell_command | allow, deny, ask, another input |
| OpenHands | PreToolUse | terminal, execute_bash | allow, deny |
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Answer = dict[str, Any]

TIMEOUT_SECONDS = 120
"""How long an agent is told to wait for the hook. The hook itself has denied long before."""


def _specific(decision: str, reason: str, changed: Answer | None) -> Answer:
    """Claude Code and Codex."""
    said: Answer = {"hookEventName": "PreToolUse", "permissionDecision": decision}
    if reason:
        said["permissionDecisionReason"] = reason
    if changed is not None:
        said["updatedInput"] = changed
    return {"hookSpecificOutput": said}


def _gemini(decision: str, reason: str, changed: Answer | None) -> Answer:
    said: Answer = {"decision": decision}
    if reason:
        said["reason"] = reason
    if changed is not None:
        said["hookSpecificOutput"] = {"hookEventName": "BeforeTool", "tool_input": changed}
    return said


def _plain(decision: str, reason: str, changed: Answer | None) -> Answer:
    """OpenHands, which cannot be given another input."""
    return {"decision": decision, "reason": reason}


class CodingAgent:
    """A coding agent: where its settings are, and what its hook is sent and may answer.

    Args:
        name: What it is called on the command line.
        title: What people call it.
        tools: The tools that run a command.
        event: The hook event before a tool is used.
        file: The settings file, below the home folder or a project.
        matcher: The tools, as its settings name them.
        answer: Makes an answer of a decision, a reason and another input.
        changes: Whether the hook may replace the command.
        asks: Whether the agent can be told to ask its own user.
        silent: Whether it takes no word for "go on", and then goes by its own rules.
        lasting: Whether its commands share one shell, where an earlier one changes what a later one means.
        milliseconds: Whether its time-outs are in milliseconds, not seconds.
        extra: What else the settings of a hook say.
        after: What its user has to do once it is installed.
    """

    def __init__(  # noqa: PLR0913  each is a fact about the agent
        self,
        name: str,
        title: str,
        *,
        tools: tuple[str, ...],
        event: str,
        file: str,
        matcher: str,
        answer: Callable[[str, str, Answer | None], Answer],
        changes: bool = True,
        asks: bool = True,
        silent: bool = False,
        lasting: bool = False,
        milliseconds: bool = False,
        extra: Answer | None = None,
        after: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.tools = tools
        self.event = event
        self.file = file
        self.matcher = matcher
        self.answer = answer
        self.changes = changes
        self.asks = asks
        self.silent = silent
        self.lasting = lasting
        self.milliseconds = milliseconds
        self.extra = extra or {}
        self.after = after

    def allow(self) -> Answer | None:
        """Return the answer that lets a command run; None where nothing is to be said."""
        return None if self.silent else self.answer("allow", "", None)

    def replace(self, changed: Answer) -> Answer:
        """Return the answer that has another input run instead."""
        return self.answer("allow", "", changed)

    def deny(self, reason: str) -> Answer:
        """Return the answer that denies a command, and tells the model why."""
        return self.answer("deny", reason, None)

    def ask(self, reason: str) -> Answer:
        """Return the answer that has the agent ask its user."""
        return self.answer("ask", reason, None)


_KNOWN = (
    CodingAgent(
        "claude",
        "Claude Code",
        tools=("Bash",),
        event="PreToolUse",
        file=".claude/settings.json",
        matcher="Bash",
        answer=_specific,
        extra={"onFailure": "block"},
    ),
    CodingAgent(
        "codex",
        "Codex",
        tools=("Bash",),
        event="PreToolUse",
        file=".codex/hooks.json",
        matcher="^Bash$",
        answer=_specific,
        asks=False,
        silent=True,
        after="Codex runs no hook that its user has not trusted: start codex, and type /hooks",
    ),
    CodingAgent(
        "gemini",
        "Gemini CLI",
        tools=("run_shell_command",),
        event="BeforeTool",
        file=".gemini/settings.json",
        matcher="run_shell_command",
        answer=_gemini,
        milliseconds=True,
        extra={"name": "pratique"},
    ),
    CodingAgent(
        "openhands",
        "OpenHands",
        tools=("terminal", "execute_bash"),
        event="PreToolUse",
        file=".openhands/hooks.json",
        matcher="terminal|execute_bash",
        answer=_plain,
        changes=False,
        asks=False,
        lasting=True,
    ),
)
AGENTS = {agent.name: agent for agent in _KNOWN}
