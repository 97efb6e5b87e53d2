"""The hook: reads a call from standard input, answers on standard output. Whatever goes wrong denies.

The exit code is 0 with an answer. 2 denies in every protocol that is known here, with the reason on standard
error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from enum import StrEnum

from engine.hooks.calls import MOST_BYTES, Call, Refusal, read_call
from engine.hooks.clients import AGENTS, CodingAgent
from engine.hooks.own_commands import is_own
from engine.hooks.proof import NoEngine, check, passes
from engine.hooks.surroundings import doubt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engine.hooks.clients import Answer

DEADLINE_SECONDS = 60.0
"""After this the command is denied, whatever is still under way."""
BLOCKED = 2
"""The exit code that denies."""


class Otherwise(StrEnum):
    """What happens to a command that is not proven harmless, or that the policy binds."""

    SANDBOX = "sandbox"
    """It is submitted; once it is approved it runs in a sandbox instead, and the agent gets its output."""
    WORKSPACE = "workspace"
    """As `sandbox`, with a copy of the agent's working tree; the agent gets what changed there as a diff."""
    ASK = "ask"
    """The agent asks its own user, who is told what the analysis found, unless the policy refuses it."""
    DENY = "deny"
    """It is denied, and the agent's model is told what the analysis found."""


def run_hook(name: str, otherwise: str = Otherwise.SANDBOX.value) -> int:
    """Answer one call of a coding agent and return the exit code."""
    signal.signal(signal.SIGALRM, _on_deadline)
    signal.setitimer(signal.ITIMER_REAL, DEADLINE_SECONDS)
    try:
        agent = AGENTS[name]
        answer = _answer(agent, sys.stdin.buffer.read(MOST_BYTES + 1), Otherwise(otherwise))
        if answer is not None:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
    except BaseException as error:
        _say(f"Pratique's hook failed ({type(error).__name__}), so the command was not run.")
        return BLOCKED
    return 0


def _on_deadline(signal: int, frame: object) -> None:
    _say("Pratique did not decide in time, so the command was not run. Try it again.")
    os._exit(BLOCKED)


def _say(text: str) -> None:
    os.write(2, f"{text}\n".encode())


def _answer(agent: CodingAgent, message: bytes, otherwise: Otherwise) -> Answer | None:
    try:
        call = read_call(message, agent.tools)
    except Refusal as refusal:
        return agent.deny(f"Pratique denied this: {refusal}.")
    if is_own(call.command):
        return agent.allow()
    try:
        found = check(call.command, agent.title)
    except NoEngine:
        return _without_proof(agent, call, otherwise, {})
    if passes(found) and not doubt(call.command, os.environ, lasting=agent.lasting):
        return agent.allow()
    return _without_proof(agent, call, otherwise, found)


def _without_proof(
    agent: CodingAgent, call: Call, otherwise: Otherwise, found: dict[str, object]
) -> Answer | None:
    from engine.hooks import review  # noqa: PLC0415  a proven command does not wait for these imports

    if otherwise in {Otherwise.SANDBOX, Otherwise.WORKSPACE}:
        with_files = otherwise is Otherwise.WORKSPACE and not found.get("refused")
        return review.in_sandbox(agent, call, with_files=with_files)
    reason = review.explain(call, found)
    may_ask = otherwise is Otherwise.ASK and agent.asks and not found.get("refused")
    return agent.ask(reason) if may_ask else agent.deny(reason)
