"""`pratique setup | doctor`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine import setup as machine
from engine.cli.exit_codes import ExitCode
from engine.cli.output.build_progress import watching
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import visible
from engine.models import Check

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def setup(
    yes: Annotated[
        bool, typer.Option("--yes", envvar="YES", help="Change the system without asking; as YES=1.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say only what was changed and what is missing.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail where code cannot run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Install and start what running code needs: Docker, gVisor's runtime, the images.

    Each change is asked for on a terminal. Without one it is made and told. What cannot be had is
    said in a line, and all but running works.
    """
    confirm = _announce_and_agree if yes or not sys.stdin.isatty() else _confirm
    with watching(each=True) as watch:
        checks = machine.setup(confirm, _announce, watch)
    if as_json:
        print_json(checks)
    for check in () if as_json else checks:
        if not (quiet and check.ok):
            _print_check(check)
    if checks[-1].ok:
        return
    if not as_json:
        print_line("Nothing can run until then; all else works.")
    if strict:
        raise typer.Exit(ExitCode.ERROR)


def doctor(as_json: AsJson = False) -> None:
    """Look at what running code needs, change nothing, and say what to type where something is not well."""
    checks = machine.doctor()
    if as_json:
        print_json(checks)
    else:
        for check in checks:
            _print_check(check)
    if not all(check.ok for check in checks):
        raise typer.Exit(ExitCode.ERROR)


def _print_check(check: Check) -> None:
    mark = typer.style("well", fg="green") if check.ok else typer.style("NOT ", fg="red", bold=True)
    hint = f". {check.hint}" if check.hint else ""
    print_line(f"{mark} {check.name:<9} {visible(check.detail)}{hint}")


def _confirm(what: str) -> bool:
    return typer.confirm(f"May I {what}?", default=True)


def _announce_and_agree(what: str) -> bool:
    _announce(what)
    return True


def _announce(what: str) -> None:
    print_line(f"  {visible(what)}")
