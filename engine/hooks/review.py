"""What becomes of a command that does not pass: it is submitted, or denied with what was found."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.client.client import Client
from engine.client.connect import connect
from engine.common.errors import Problem
from engine.common.text import Untrusted, mark_hidden
from engine.hooks.calls import Call
from engine.hooks.clients import CodingAgent
from engine.hooks.own_commands import result_command
from engine.hooks.results import described, result_text
from engine.hooks.surroundings import doubt
from engine.hooks.working_tree import copied
from engine.models import NOT_RUN, Case, Draft, InputFile, Language

if TYPE_CHECKING:
    from engine.hooks.clients import Answer

ANSWER_SECONDS = 45.0
"""How long the engine may take to start and take a command in, and a person where only the hook waits."""
MOST_FINDINGS = 5
MOST_PURPOSE = 500
MOST_REASON = 4000
ADVICE = (
    "Use the tools that need no command where they do, or have it run in the sandbox with Pratique's tool "
    "code_execute, and tell your user what you need it for."
)


def in_sandbox(agent: CodingAgent, call: Call, *, with_files: bool = False) -> Answer:
    """Return the answer that has a command run in a sandbox once it is approved, instead of here.

    With `with_files` a copy of the folder that the agent works in is there, too.
    """
    try:
        files = copied(call.folder) if with_files else ()
        return asyncio.run(_in_sandbox(agent, call, files))
    except TimeoutError:
        return agent.deny("Pratique's engine did not answer in time: the command was not run. Try again.")
    except Problem as problem:
        return agent.deny(f"Pratique denied the command: {mark_hidden(str(problem))[:MOST_REASON]}")


async def _in_sandbox(agent: CodingAgent, call: Call, files: tuple[InputFile, ...]) -> Answer:
    async with asyncio.timeout(ANSWER_SECONDS), await connect(agent.title) as client:
        case = await client.submit(_draft(agent, call, files), join=True)
        if case.status in NOT_RUN:
            return agent.deny(described(case))
        if agent.changes:
            return agent.replace({**call.input, "command": result_command(case.submission.id)})
    return await _waited_for(agent, case)


async def _waited_for(agent: CodingAgent, case: Case) -> Answer:
    """Return the result as a denial, for an agent that cannot be given another command."""
    async with await connect(agent.title) as client:
        case = await _ended(client, case.submission.id)
        return agent.deny(f"Not run here. {await result_text(client, case)}")


async def _ended(client: Client, id: str) -> Case:
    return await client.case(id, within=ANSWER_SECONDS)


def _draft(agent: CodingAgent, call: Call, files: tuple[InputFile, ...]) -> Draft:
    said = call.description or f"a command of {agent.title}"
    where = f" (in {call.folder})" if call.folder else ""
    purpose = (said[:MOST_PURPOSE] + where)[: 2 * MOST_PURPOSE]
    return Draft(
        code=Untrusted(call.command),
        language=Language.SHELL,
        files=files,
        purpose=Untrusted(purpose.encode(errors="replace").decode()),
    )


def explain(call: Call, found: dict[str, Any]) -> str:
    """Return why a command did not run, from its check, in words that a model can act on."""
    if refused := found.get("refused"):
        return f"Pratique's policy refuses this command: {mark_hidden(str(refused))[:MOST_REASON]}. {ADVICE}"
    if held := found.get("held"):
        why = mark_hidden(str(held))[:MOST_REASON]
        return f"Pratique's policy has a person decide about this command: {why}. {ADVICE}"
    reasons = [*_reasons(found.get("analysis")), *filter(None, [doubt(call.command, os.environ)])]
    why = "; ".join(reasons) if reasons else "no engine answers that could analyse it (pratique serve)"
    return f"Pratique has no proof that this command is harmless: {mark_hidden(why)[:MOST_REASON]}. {ADVICE}"


def _reasons(analysis: object) -> Iterator[str]:
    found = analysis if isinstance(analysis, dict) else {}
    for violation in _listed(found, "violations"):
        yield f"line {_line(violation)}: {violation.get('message')} ({violation.get('severity')})"
    for place in _listed(found, "unproven"):
        yield f"line {_line(place)}: {place.get('reason')}"


def _listed(found: dict[str, Any], key: str) -> list[dict[str, Any]]:
    given = found.get(key)
    return [one for one in given if isinstance(one, dict)][:MOST_FINDINGS] if isinstance(given, list) else []


def _line(place: dict[str, Any]) -> object:
    span = place.get("span")
    return span.get("line", "?") if isinstance(span, dict) else "?"
