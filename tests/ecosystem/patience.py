"""`python -m tests.ecosystem.patience [CALLS [SECONDS]]`: clients that time out, people who are slow.

Each agent calls with a time-out of 5 s, and calls again as models do, by `code_result` or by the same call. A
person approves or denies each submission after 0 to SECONDS (90). Prints what was submitted twice and lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client as McpClient
from mcp import MCPError

from engine.client.client import Client, Problem
from engine.models import DecisionOutcome, Summary
from tests.ecosystem.answers import OPEN
from tests.engine.server.test_mcp_stdio import registered, result_of, server
from tests.engine_process import EngineProcess

TIME_OUT = 5.0
CALLS_EACH = 6
CHANCE = random.Random()  # noqa: S311  no secret
DEADLINES = {"PRATIQUE_POLICY__DEADLINES": '{"medium": 3600, "high": 3600, "critical": 3600}'}


@dataclass
class Tally:
    """What came of the calls."""

    calls: int = 0
    timed_out: int = 0
    submitted: int = 0
    lost: int = 0
    repeated: list[str] = field(default_factory=list)
    """What was submitted twice: the code, and the times."""

    @property
    def twice(self) -> int:
        """How many submissions were more than there were calls."""
        return self.submitted - self.calls


async def measure(engine: EngineProcess, agents: int, calls_each: int, slowest: float) -> Tally:
    """Have agents call, and a person decide about each after at most `slowest` seconds."""
    tally = Tally()
    async with engine.client("operator") as operator, asyncio.TaskGroup() as tasks:
        names = [await registered(engine, operator, f"hasty-{number}") for number in range(agents)]
        reviewer = tasks.create_task(_review(operator, slowest))
        async with asyncio.TaskGroup() as calling:
            for name in names:
                calling.create_task(_agent(engine, name, calls_each, tally))
        reviewer.cancel()
        tally.submitted = (await operator.history.total("requester:hasty-*")).count
        tally.repeated = await _repeated(operator)
    return tally


async def _repeated(operator: Client) -> list[str]:
    """Return each program that was submitted more than once, with when and how each submission ended."""
    by_code: dict[str, list[str]] = defaultdict(list)
    before: str | None = None
    while page := await operator.history.search("requester:hasty-*", before):
        before = page[-1].id
        for row in page:
            by_code[str(row.first_line)].append(f"{row.id} {row.submitted_at:%H:%M:%S} {row.status}")
    return [f"{code}: {'; '.join(found)}" for code, found in by_code.items() if len(found) > 1]


async def _agent(engine: EngineProcess, name: str, calls: int, tally: Tally) -> None:
    async with McpClient(server(engine, "", name), read_timeout_seconds=TIME_OUT) as mcp:
        for number in range(calls):
            tally.calls += 1
            answer = await _insisted(mcp, {"code": f"print('{name}', {number})"}, tally)
            printed = answer.get("untrusted_output", {}).get("stdout", "")
            expected = f"{name} {number}\n" if answer.get("status") == "finished" else ""
            tally.lost += answer.get("status") not in {"finished", "denied"} or printed != expected


async def _insisted(mcp: McpClient, call: dict[str, Any], tally: Tally) -> dict[str, Any]:
    """Return the answer that a model has in the end, which it asks for in either way."""
    id = ""
    for _ in range(200):
        again = not id or CHANCE.random() < 0.5
        try:
            said = await mcp.call_tool(*(("code_execute", call) if again else ("code_result", {"id": id})))
        except MCPError:
            tally.timed_out += 1
            continue
        answer = result_of(said)
        if answer["status"] not in OPEN:
            return answer
        id = answer["id"]
    return {}


async def _review(operator: Client, slowest: float) -> None:
    """Decide about whatever comes, each after a while of its own."""
    seen: set[str] = set()
    async with asyncio.TaskGroup() as tasks:
        while True:
            for row in await _waiting(operator):
                if row.status == "pending" and row.id not in seen:
                    seen.add(row.id)
                    tasks.create_task(_decide(operator, row.id, row.digest, CHANCE.uniform(0, slowest)))
            await asyncio.sleep(0.1)


async def _waiting(operator: Client) -> tuple[Summary, ...]:
    """Return the queue; nothing where a busy engine does not answer in time."""
    try:
        return await operator.queue()
    except Problem:
        return ()


async def _decide(operator: Client, id: str, digest: str, after: float) -> None:
    await asyncio.sleep(after)
    outcome = CHANCE.choice([DecisionOutcome.APPROVED, DecisionOutcome.DENIED])
    with contextlib.suppress(Problem):
        await operator.decide(id, outcome, digest, "so it is")


def main(calls: int, slowest: float) -> int:
    """Measure and print; return 1 if anything was submitted twice or lost."""
    with tempfile.TemporaryDirectory() as folder:
        engine = EngineProcess(Path(folder), **DEADLINES)
        engine.start()
        try:
            tally = asyncio.run(measure(engine, max(1, calls // CALLS_EACH), CALLS_EACH, slowest))
        finally:
            engine.end()
    sys.stdout.write(
        f"{tally.calls} calls, decided after 0 to {slowest:g} s: {tally.timed_out} timed out, "
        f"{tally.twice} submitted twice, {tally.lost} results lost\n"
    )
    sys.stdout.writelines(f"{line}\n" for line in tally.repeated)
    return 1 if tally.twice or tally.lost else 0


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(int(given[0]) if given else 300, float(given[1]) if given[1:] else 90.0))
