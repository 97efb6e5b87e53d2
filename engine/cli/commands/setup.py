"""`pratique setup | doctor`."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from engine import setup as machine
from engine.cli.exit_codes import ExitCode
from engine.cli.options.common import Json
from engine.cli.output.build_progress import build_progress
from engine.cli.output.formatting import print_json, print_line
from engine.cli.output.recorded_checks import record_checks
from engine.client.engine_check import engine_check
from engine.common.text import visible
from engine.models import Check


def setup(
    yes: Annotated[
        bool, typer.Option("--yes", envvar="YES", help="Change the system without asking (as YES=1).")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only changes and failures.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 5 if code cannot run afterwards.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Install and start Docker, gVisor's runtime and the sandbox images.

    On a terminal, asks before each change; otherwise makes and prints it.
    """
    confirm = _announce_and_agree if yes or not sys.stdin.isatty() else _confirm
    with build_progress(each=True) as watch:
        checks = machine.setup(confirm, _announce, watch)
    if as_json:
        print_json(checks)
    for check in () if as_json else checks:
        if not (quiet and check.ok):
            _print_check(check)
    if checks[-1].ok:
        return
    if not as_json:
        print_line("Code cannot run until this is fixed; everything else works.")
    if strict:
        raise typer.Exit(ExitCode.ERROR)


def doctor(as_json: Json = False) -> None:
    """Check the machine without changing it, and say how to fix what fails."""
    checks = (*machine.run_checks(), asyncio.run(engine_check()))
    record_checks("doctor", len(checks), [check.name for check in checks if not check.ok])
    if as_json:
        print_json(checks)
    else:
        for check in checks:
            _print_check(check)
    if not all(check.ok for check in checks):
        raise typer.Exit(ExitCode.ERROR)


def _print_check(check: Check) -> None:
    mark = typer.style("OK     ", fg="green") if check.ok else typer.style("FAILING", fg="red", bold=True)
    hint = f". {check.hint}" if check.hint else ""
    print_line(f"{mark} {check.name:<9} {visible(check.detail)}{hint}")


def _confirm(what: str) -> bool:
    return typer.confirm(f"{what[:1].upper()}{what[1:]}?", default=True)


def _announce_and_agree(what: str) -> bool:
    _announce(what)
    return True


def _announce(what: str) -> None:
    print_line(f"  {visible(what)}")
