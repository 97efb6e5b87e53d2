"""The result of a command that ran in a sandbox instead, for the model that wanted it."""

from __future__ import annotations

import contextlib

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.presentation import describe_result
from engine.common.text import mark_hidden
from engine.hooks.clients import AGENTS
from engine.hooks.own_commands import result_command
from engine.hooks.working_tree import changes
from engine.models import NOT_RUN, Case, Decision, Status
from engine.policy.output.agent_output import prepare_for_agent
from engine.policy.output.masking.stream import MOST_SECRET

MOST_OUTPUT = 64 * 1024
"""Bytes of output that a model is given."""
TITLES = frozenset(agent.title for agent in AGENTS.values())


def require_hooked(case: Case) -> None:
    """Refuse a submission that no hook made: an agent reads the results of its own commands alone.

    Raises:
        Problem: it is another's.
    """
    if case.submission.requester.name.text not in TITLES:
        raise Problem(
            404, f"{case.submission.id} is no command of a coding agent", hint="Type: pratique show ID"
        )


def described(case: Case) -> str:
    """Return what became of a command, and what the model may do about it."""
    id, decision = case.submission.id, case.decision
    if case.result is not None:
        return f"It ran in Pratique's sandbox: {describe_result(case.result)}."
    if case.status in NOT_RUN:
        return _not_run(case.status, decision)
    what = "waits for a person" if case.status is Status.PENDING else "was approved and runs"
    return f"It {what} (Pratique, {id}). Get its result with: {result_command(id)}"


def _not_run(status: Status, decision: Decision | None) -> str:
    reason = f" The reason: {mark_hidden(decision.reason)}." if decision and decision.reason else ""
    comments = (
        [f" Line {one.first}: {mark_hidden(one.text)}." for one in decision.comments] if decision else []
    )
    what = {
        Status.EXPIRED: "nobody decided in time. You may try it again later",
        Status.CHANGES_REQUESTED: "a person asks for changes. Make them, and run the changed command",
        Status.REFUSED: "the policy refuses it. Do not try it again unchanged",
    }.get(status, "a person denied it. Do not try it again, nor in other words")
    return f"It did not run: {what}.{reason}{''.join(comments)}"


async def result_text(client: Client, case: Case) -> str:
    """Return what became of a command, what it printed, and what it changed."""
    said = (described(case), await printed(client, case), await changes(client, case))
    return "\n".join(filter(None, said))


async def printed(client: Client, case: Case) -> str:
    """Return what a run printed, both streams in their order, secrets masked; empty where it did not end."""
    if case.result is None:
        return ""
    data = b""
    try:
        async with contextlib.aclosing(client.output(case.submission.id)) as chunks:
            async for chunk in chunks:
                data += chunk.data
                if len(data) > MOST_OUTPUT + MOST_SECRET:
                    break
    except Problem as problem:
        return mark_hidden(str(problem))
    shown = prepare_for_agent(data.decode(errors="replace"), MOST_OUTPUT)
    cut = "\n[cut: pratique tail shows all of it]" if len(data) > MOST_OUTPUT else ""
    return mark_hidden(shown, keep="\n\t") + cut
