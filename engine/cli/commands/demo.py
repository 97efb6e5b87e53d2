"""`pratique demo`: the main job on five submissions, decided here where there is nobody to decide."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.commands.runs import follow
from engine.cli.output.formatting import print_case, print_line, result_line
from engine.cli.samples import SAMPLES, Sample
from engine.client.attach import attach
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import visible
from engine.models import Case, DecisionOutcome

PROVING_SECONDS = 25.0
UNHURRIED = '{"medium": 1800, "high": 1800, "critical": 1800}'
"""Deadlines of an engine that the demonstration starts: its five submissions can be read at leisure."""


def demo(
    decide: Annotated[bool, typer.Option(help="Decide here and print it all, without a console.")] = False,
) -> None:
    """Hand in five example submissions; then the console opens on them, or they are decided and run here."""
    os.environ.setdefault("PRATIQUE_POLICY__DEADLINES", UNHURRIED)
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    with_client(_hand_in if on_terminal and not decide else _headless)


async def _hand_in(client: Client) -> None:
    for sample in SAMPLES:
        await _submitted(client, sample)


async def _headless(client: Client) -> None:
    await _wait_for_proof(client)
    cases = [await _submitted(client, sample) for sample in SAMPLES]
    for sample, case in zip(SAMPLES, cases, strict=True):
        print_line()
        print_case(case)
        await _decided(client, sample, case)
    print_line()
    verification = await client.verify()
    state = "intact" if verification.intact else f"NOT INTACT: {verification.problem}"
    print_line(f"audit: {verification.events} events, {state}")


async def _submitted(client: Client, sample: Sample) -> Case:
    async with await attach(sample.requester) as agent:
        return await agent.submit(sample.draft)


async def _decided(client: Client, sample: Sample, case: Case) -> None:
    submission = case.submission
    try:
        decided = await client.decide(submission.id, sample.outcome, submission.digest, sample.reason)
    except Problem as problem:
        print_line(f"         -> not approved: {problem}")
        return
    print_line(f"         -> {decided.decision.outcome if decided.decision else ''}: {sample.reason}")
    if sample.outcome is DecisionOutcome.APPROVED:
        ended = await follow(client, submission.id)
        print_line(f"         -> {result_line(ended.result) if ended.result else ended.status}")


async def _wait_for_proof(client: Client) -> None:
    """Wait until the engine has tried a real sandbox, and say what it found."""
    health = await client.health(settled_within=PROVING_SECONDS)
    if health.can_run and health.proof:
        print_line(f"gVisor, proven from inside a sandbox: {visible(health.proof.detail)}")
        return
    print_line("Nothing runs here, all else works:")
    for check in health.checks:
        if not check.ok:
            print_line(f"  {check.name}: {visible(check.detail)}. {check.hint}")
