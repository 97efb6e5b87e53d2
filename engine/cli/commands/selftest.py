"""`pratique selftest`: attacks against the sandboxes of this machine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

import typer

from engine.cli.exit_codes import ExitCode
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_json, print_line
from engine.cli.output.recorded_checks import record_checks
from engine.common.errors import Problem
from engine.common.text import visible
from engine.images import reference
from engine.models import Check, Language
from engine.sandbox import Backend, SandboxUnavailable
from engine.sandbox.drivers.open import open_backend
from engine.sandbox.selftest.attack_case import AttackCase
from engine.sandbox.selftest.runner import ATTACKS, AttackOutcome, selftest
from engine.settings import Settings


def command(
    only: Annotated[str, typer.Option(help="Run only attacks whose name contains this text.")] = "",
    as_json: Json = False,
) -> None:
    """Attack sandboxes of this machine, and report which guarantees held.

    Takes a minute or two, needs no engine and removes everything that it creates.
    """
    chosen = tuple(attack for attack in ATTACKS if only in attack.name)
    if not chosen:
        raise Problem(404, f"no attack name contains {visible(only)}", hint="Type: pratique selftest")
    broken = asyncio.run(_run_attempts(chosen, as_json))
    record_checks("selftest", len(chosen), broken)
    if not as_json:
        print_line(f"{len(chosen) - len(broken)} of {len(chosen)} guarantees held")
    if broken:
        raise typer.Exit(ExitCode.ERROR)


async def _run_attempts(chosen: tuple[AttackCase, ...], as_json: bool) -> list[str]:
    """Run and print each attack, and return the names of those that succeeded."""
    settings = Settings().sandbox
    backend = open_backend(settings.with_pool(1), f"selftest-{os.getpid()}")
    broken: list[str] = []
    try:
        await backend.start()
        async with aclosing(_outcomes(backend, chosen)) as outcomes:
            async for outcome in outcomes:
                broken += [] if outcome.held else [outcome.attack.name]
                _print(outcome, as_json)
    except SandboxUnavailable as error:
        raise Problem(503, str(error), hint=f"Type: {error.hint}" if error.hint else "") from None
    finally:
        await backend.close()
    return broken


def _outcomes(backend: Backend, chosen: tuple[AttackCase, ...]) -> AsyncGenerator[AttackOutcome, None]:
    names = backend.settings.images
    return selftest(backend, {Language(one): reference(name) for one, name in names.items()}, chosen)


def _print(outcome: AttackOutcome, as_json: bool) -> None:
    attack = outcome.attack
    if as_json:
        print_json([Check(name=attack.name, ok=outcome.held, detail=outcome.detail)])
        return
    mark = typer.style("held  ", fg="green") if outcome.held else typer.style("BROKEN", fg="red", bold=True)
    detail = "" if outcome.held else f": {visible(outcome.detail)}"
    print_line(f"{mark} {attack.guarantee} ({attack.name}){detail}")
