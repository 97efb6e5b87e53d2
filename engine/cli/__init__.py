"""The command line. Each command is imported only when it is called, so that all start fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection
from importlib.metadata import version
from typing import Annotated

import typer

from engine.cli.exit_codes import ExitCode
from engine.cli.visible_errors import VisibleErrors
from engine.common.errors import Problem
from engine.common.text import visible

COMMANDS = {
    "submit": "engine.cli.commands.submissions:submit",
    "queue": "engine.cli.commands.submissions:queue",
    "show": "engine.cli.commands.submissions:show",
    "approve": "engine.cli.commands.submissions:approve",
    "deny": "engine.cli.commands.submissions:deny",
    "request-changes": "engine.cli.commands.changes:request_changes",
    "assign": "engine.cli.commands.assignments:assign",
    "claim": "engine.cli.commands.claims:claim",
    "extend": "engine.cli.commands.claims:extend",
    "expired": "engine.cli.commands.claims:expired",
    "revive": "engine.cli.commands.claims:revive",
    "pre-approval": "engine.cli.commands.pre_approvals:app",
    "block": "engine.cli.commands.incidents.blocks:app",
    "incident": "engine.cli.commands.incidents.incident:app",
    "erase": "engine.cli.commands.erasing.erase:erase",
    "erasures": "engine.cli.commands.erasing.erasures:erasures",
    "hold": "engine.cli.commands.erasing.hold:app",
    "export-person": "engine.cli.commands.erasing.person:export_person",
    "note": "engine.cli.commands.incidents.notes:note",
    "tag": "engine.cli.commands.incidents.notes:tag",
    "queries": "engine.cli.commands.incidents.queries:app",
    "rescan": "engine.cli.commands.incidents.rescan:app",
    "respond": "engine.cli.commands.incidents.respond:app",
    "history": "engine.cli.commands.stored.history:app",
    "run": "engine.cli.commands.runs:run",
    "tail": "engine.cli.commands.runs:tail",
    "effects": "engine.cli.commands.effects:effects",
    "lines": "engine.cli.commands.effects:lines",
    "look": "engine.cli.commands.effects:look",
    "rehearse": "engine.cli.commands.effects:rehearse",
    "kill": "engine.cli.commands.runs:kill",
    "pause": "engine.cli.commands.runs:pause",
    "resume": "engine.cli.commands.runs:resume",
    "files": "engine.cli.commands.artifacts:files",
    "fetch": "engine.cli.commands.artifacts:fetch",
    "analyze": "engine.cli.commands.analyze:analyze",
    "rules": "engine.cli.commands.analyze:rules",
    "drills": "engine.cli.commands.learning.drills:drills",
    "policy": "engine.cli.commands.policies.policy:app",
    "import": "engine.cli.commands.policies.imports:import_policy",
    "audit": "engine.cli.commands.audit:app",
    "backup": "engine.cli.commands.stored.backup:backup",
    "restore": "engine.cli.commands.stored.restore:restore",
    "dev": "engine.cli.commands.dev:app",
    "secret": "engine.cli.commands.secrets:app",
    "preview": "engine.cli.commands.preview.previews:app",
    "session": "engine.cli.commands.sessions:app",
    "key": "engine.cli.commands.keys:app",
    "token": "engine.cli.commands.tokens:app",
    "hook": "engine.cli.commands.hooks:app",
    "demo": "engine.cli.commands.demo:demo",
    "mcp": "engine.cli.commands.mcp:mcp",
    "serve": "engine.cli.commands.serve:serve",
    "stop": "engine.cli.commands.serve:stop",
    "setup": "engine.cli.commands.setup:setup",
    "doctor": "engine.cli.commands.setup:doctor",
    "image": "engine.cli.commands.images:app",
    "selftest": "engine.cli.commands.selftest:command",
    "bench": "engine.cli.commands.bench:bench",
}

EXIT_CODES = (
    "Exit codes: 0 success, 1 run failed or problem found, 2 usage, 3 not approved, 4 killed, 5 error, "
    "130 interrupted"
)


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code; report a problem in one line on standard error."""
    app = _app(arguments[:1])
    try:
        app(arguments, standalone_mode=True)
    except Problem as problem:
        sys.stderr.write(f"pratique: {visible(str(problem), keep=chr(10))}\n")
        return ExitCode.ERROR
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else ExitCode.ERROR
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    return ExitCode.OK


def _app(named: list[str]) -> typer.Typer:
    app = typer.Typer(
        name="pratique",
        cls=VisibleErrors,
        help="Review and run LLM-generated code in gVisor sandboxes. Without a command, opens the console.",
        epilog=EXIT_CODES,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    for name in _wanted(named):
        _mount(app, name)
    app.callback()(_itself)
    return app


def _wanted(named: list[str]) -> Collection[str]:
    """Return the commands to load: the one that was named, none to print the version, else all."""
    if named == ["--version"]:
        return ()
    return named if named and named[0] in COMMANDS else COMMANDS


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"pratique {version('pratique')}")
        raise typer.Exit


def _itself(
    plain: Annotated[
        bool, typer.Option("--plain", help="Open the console as plain lines of text, for screen readers.")
    ] = False,
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    if plain:
        raise typer.BadParameter("use it alone: pratique --plain", param_hint="--plain")


def _mount(app: typer.Typer, name: str) -> None:
    module, attribute = COMMANDS[name].split(":")
    command = getattr(importlib.import_module(module), attribute)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)
