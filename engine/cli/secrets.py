"""`pratique secret set | list | remove`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine.cli.client_context import engaged
from engine.cli.formatting import say, say_json
from engine.common.text import visible

app = typer.Typer(help="Secrets that runs use without seeing them.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="What submissions call it, as API_TOKEN.")]


@app.command("set")
def set_(name: Name, host: Annotated[str, typer.Option(help="The one host that it is sent to.")]) -> None:
    """Keep a secret for one host. Its value is read from the terminal, or from standard input."""
    terminal = sys.stdin.isatty()
    value = typer.prompt("Value", hide_input=True) if terminal else sys.stdin.read().rstrip("\r\n")
    engaged(lambda client: client.set_secret(name, host, value))
    say(f"{visible(name)}: set, for {visible(host)}")


@app.command("list")
def listed(
    json: Annotated[bool, typer.Option("--json", help="Print JSON, a line for each.")] = False,
) -> None:
    """List the secrets by name and host. Values are never shown."""
    found = engaged(lambda client: client.secrets())
    if json:
        say_json(found)
    for one in () if json else found:
        say(f"{one.name:<24} for {one.host}")
    if not found and not json:
        say("There are none. Try: pratique secret set API_TOKEN --host api.example.org")


@app.command()
def remove(name: Name) -> None:
    """Forget a secret."""
    engaged(lambda client: client.remove_secret(name))
    say(f"{visible(name)}: removed")
