"""`pratique demo`: five example submissions, decided automatically without a terminal."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.commands.runs import follow
from engine.cli.output.formatting import print_line, result_line
from engine.cli.output.full_view import print_submission, stated_record
from engine.cli.samples import SAMPLES, Sample
from engine.client.client import Client
from engine.client.connect import connect
from engine.common.errors import Problem
from engine.common.text import visible
from engine.models import Case, DecisionOutcome

PROBE_SECONDS = 25.0


def demo(
    decide: Annotated[bool, typer.Option(help="Decide automatically and print everything.")] = False,
) -> None:
    """Submit five examples; on a terminal leave them for review, otherwise decide and run them."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    with_client(_submit_all if on_terminal and not decide else _decide_all)


async def _submit_all(client: Client) -> None:
    for sample in SAMPLES:
        await _submit(client, sample)


async def _decide_all(client: Client) -> None:
    await _wait_for_proof(client)
    cases = [await _submit(client, sample) for sample in SAMPLES]
    for sample, case in zip(SAMPLES, cases, strict=True):
        print_line()
        print_submission(case)
        await _decide(client, sample, case)
    print_line()
    verification = await client.history.verify()
    print_line(f"history: {visible(verification.statement)}")


async def _submit(client: Client, sample: Sample) -> Case:
    async with await connect(sample.requester) as agent:
        return await agent.submit(sample.draft)


async def _decide(client: Client, sample: Sample, case: Case) -> None:
    submission = case.submission
    try:
        record = stated_record(case, ["all=accepted"])
        decided = await client.decide(
            submission.id, sample.outcome, submission.digest, sample.reason, review_record=record
        )
    except Problem as problem:
        print_line(f"         -> not approved: {problem}")
        return
    print_line(f"         -> {decided.decision.outcome if decided.decision else ''}: {sample.reason}")
    if sample.outcome is DecisionOutcome.APPROVED:
        ended = await follow(client, submission.id)
        print_line(f"         -> {result_line(ended.result) if ended.result else ended.status}")


async def _wait_for_proof(client: Client) -> None:
    """Wait until the engine has probed a real sandbox, and print the result."""
    health = await client.health(settled_within=PROBE_SECONDS)
    if health.can_run and health.proof:
        print_line(f"gVisor verified from inside a sandbox: {visible(health.proof.detail)}")
        return
    print_line("Code cannot run on this machine; everything else works:")
    for check in health.checks:
        if not check.ok:
            print_line(f"  {check.name}: {visible(check.detail)}. {check.hint}")
