"""The command line. Each command is imported when it is called for, so that none pays for another."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from engine.doors.cli.exits import Exit
from engine.problem import Problem

COMMANDS = {
    "submit": "engine.doors.cli.submissions:submit",
    "queue": "engine.doors.cli.submissions:queue",
    "show": "engine.doors.cli.submissions:show",
    "approve": "engine.doors.cli.submissions:approve",
    "deny": "engine.doors.cli.submissions:deny",
    "claim": "engine.doors.cli.standing:claim",
    "standing": "engine.doors.cli.standing:app",
    "history": "engine.doors.cli.submissions:history",
    "run": "engine.doors.cli.running:run",
    "tail": "engine.doors.cli.running:tail",
    "kill": "engine.doors.cli.running:kill",
    "files": "engine.doors.cli.left:files",
    "fetch": "engine.doors.cli.left:fetch",
    "analyze": "engine.doors.cli.analyze:analyze",
    "rules": "engine.doors.cli.analyze:rules",
    "policy": "engine.doors.cli.policy:app",
    "audit": "engine.doors.cli.audit:app",
    "dev": "engine.doors.cli.dev:app",
    "secret": "engine.doors.cli.secrets:app",
    "sandbox": "engine.doors.cli.sandboxes:app",
    "token": "engine.doors.cli.tokens:app",
    "demo": "engine.doors.cli.demo:demo",
    "mcp": "engine.doors.cli.mcp:mcp",
    "serve": "engine.doors.cli.serving:serve",
    "stop": "engine.doors.cli.serving:stop",
    "setup": "engine.doors.cli.machine:setup",
    "doctor": "engine.doors.cli.machine:doctor",
    "image": "engine.doors.cli.machine:image",
    "selftest": "engine.doors.cli.selftest:command",
    "bench": "engine.doors.cli.machine:bench",
}


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code; a problem is one line on standard error."""
    app = _app(arguments[:1])
    try:
        app(arguments, standalone_mode=True)
    except Problem as problem:
        sys.stderr.write(f"pratique: {problem}\n")
        return Exit.PROBLEM
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else Exit.PROBLEM
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    return Exit.DONE


def _app(named: list[str]) -> typer.Typer:
    app = typer.Typer(
        name="pratique",
        help="The clearance desk for LLM-generated code. Without a command: the console.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    wanted = named if named and named[0] in COMMANDS else COMMANDS
    for name in wanted:
        _mount(app, name)
    app.callback()(_itself)
    return app


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"pratique {version('pratique')}")
        raise typer.Exit


def _itself(
    plain: Annotated[
        bool, typer.Option("--plain", help="The console as ordinary lines, for screen readers.")
    ] = False,
    _version: Annotated[
        bool,
        typer.Option("--version", help="Say which version this is.", callback=_say_version, is_eager=True),
    ] = False,
) -> None:
    if plain:
        raise typer.BadParameter("it stands alone: pratique --plain", param_hint="--plain")


def _mount(app: typer.Typer, name: str) -> None:
    module, attribute = COMMANDS[name].split(":")
    command = getattr(importlib.import_module(module), attribute)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)
