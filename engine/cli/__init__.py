"""The command line. Each command is imported when it is called for, so that none pays for another."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from engine.cli.exit_codes import Exit
from engine.common.errors import Problem

COMMANDS = {
    "submit": "engine.cli.submissions:submit",
    "queue": "engine.cli.submissions:queue",
    "show": "engine.cli.submissions:show",
    "approve": "engine.cli.submissions:approve",
    "deny": "engine.cli.submissions:deny",
    "claim": "engine.cli.pre_approvals:claim",
    "pre-approval": "engine.cli.pre_approvals:app",
    "history": "engine.cli.submissions:history",
    "run": "engine.cli.runs:run",
    "tail": "engine.cli.runs:tail",
    "kill": "engine.cli.runs:kill",
    "files": "engine.cli.artifacts:files",
    "fetch": "engine.cli.artifacts:fetch",
    "analyze": "engine.cli.analyze:analyze",
    "rules": "engine.cli.analyze:rules",
    "policy": "engine.cli.policy:app",
    "audit": "engine.cli.audit:app",
    "dev": "engine.cli.dev:app",
    "secret": "engine.cli.secrets:app",
    "session": "engine.cli.sessions:app",
    "token": "engine.cli.tokens:app",
    "demo": "engine.cli.demo:demo",
    "mcp": "engine.cli.mcp:mcp",
    "serve": "engine.cli.serve:serve",
    "stop": "engine.cli.serve:stop",
    "setup": "engine.cli.machine:setup",
    "doctor": "engine.cli.machine:doctor",
    "image": "engine.cli.machine:image",
    "selftest": "engine.cli.selftest:command",
    "bench": "engine.cli.machine:bench",
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
