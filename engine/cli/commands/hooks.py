"""`pratique hook …`: what coding agents want to run goes through Pratique."""

from __future__ import annotations

import json as plain_json
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.exit_codes import ExitCode, exit_code_of
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_line, print_text
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import visible
from engine.hooks.clients import AGENTS, CodingAgent
from engine.hooks.hook import Otherwise, run_hook
from engine.hooks.results import described, printed, require_hooked
from engine.hooks.settings_file import install, settings_path, uninstall
from engine.hooks.working_tree import changes
from engine.models import OPEN, Case

MOST_WAIT = 50.0
"""How long one request waits for a command to end."""

app = typer.Typer(
    help="Have what a coding agent runs analysed, sandboxed or denied: claude, codex, gemini, openhands.",
    no_args_is_help=True,
)

Agent = Annotated[str, typer.Argument(help="The coding agent: claude, codex, gemini or openhands.")]
Project = Annotated[
    bool, typer.Option("--project", help="For the project of this folder, not for all of yours.")
]
Else = Annotated[
    Otherwise,
    typer.Option(
        help="What happens to what is not proven harmless: it runs in a sandbox, with a copy of the folder "
        "(workspace) or without; the agent asks; or it is denied."
    ),
]


@app.command("install")
def install_hook(
    agent: Agent, otherwise: Else = Otherwise.SANDBOX, project: Project = False, json: Json = False
) -> None:
    """Enter the hook in the settings of a coding agent."""
    known = _known(agent)
    if otherwise is Otherwise.ASK and not known.asks:
        raise Problem(422, f"{known.title} cannot be told to ask", hint="Use --otherwise sandbox or deny")
    path = _path(known, project=project)
    changed = install(known, path, otherwise)
    text = f"{known.title} asks Pratique before it runs a command: {visible(str(path))}"
    _print(json, path, text if changed else f"Nothing to change: {visible(str(path))}", changed=changed)
    if known.after and not json:
        print_line(known.after)


@app.command("uninstall")
def uninstall_hook(agent: Agent, project: Project = False, json: Json = False) -> None:
    """Take the hook out of the settings of a coding agent."""
    known = _known(agent)
    path = _path(known, project=project)
    changed = uninstall(known, path)
    text = f"Taken out of {visible(str(path))}" if changed else f"No hook in {visible(str(path))}"
    _print(json, path, text, changed=changed)


@app.command("run")
def run_one(agent: Agent, otherwise: Else = Otherwise.SANDBOX) -> None:
    """Answer one call of a coding agent; its settings name this command."""
    raise SystemExit(run_hook(_known(agent).name, otherwise.value))


@app.command("result")
def result(
    id: Annotated[str, typer.Argument(help="ID of the command's submission.")],
    wait: Annotated[float, typer.Option(min=0, max=3600, help="Seconds to wait for a person.")] = 100,
) -> None:
    """Print what a command printed that ran in a sandbox instead, for the agent that wanted it."""
    raise SystemExit(with_client(lambda client: _result(client, id, wait)))


async def _result(client: Client, id: str, wait: float) -> int:
    case = await client.case(id)
    require_hooked(case)
    while wait > 0 and _is_open(case):
        case = await client.case(id, within=min(wait, MOST_WAIT))
        wait -= MOST_WAIT
    if output := await printed(client, case):
        print_text(output if output.endswith("\n") else f"{output}\n")
    if changed := await changes(client, case):
        print_text(
            f"Changed in the sandbox, not here; what you want of it, change with your own tools:\n{changed}"
        )
    print_line(f"[{described(case)}]", error=True)
    if case.result is not None and case.result.exit_code is not None:
        return case.result.exit_code
    return ExitCode.NOT_APPROVED if _is_open(case) else exit_code_of(case)


def _is_open(case: Case) -> bool:
    return case.status in OPEN


def _known(name: str) -> CodingAgent:
    if name not in AGENTS:
        raise Problem(
            422, f"{visible(name)} is no known coding agent", hint=f"Use one of: {', '.join(AGENTS)}"
        )
    return AGENTS[name]


def _path(agent: CodingAgent, *, project: bool) -> Path:
    return settings_path(agent, Path.cwd() if project else Path.home())


def _print(json: bool, path: Path, text: str, *, changed: bool) -> None:
    print_line(plain_json.dumps({"path": str(path), "changed": changed}) if json else text)
