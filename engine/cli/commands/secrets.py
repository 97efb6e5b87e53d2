"""`pratique secret set | list | remove`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import visible

app = typer.Typer(help="Secrets that runs use without seeing them.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="What submissions call it, as API_TOKEN.")]


@app.command("set")
def set_(name: Name, host: Annotated[str, typer.Option(help="The one host that it is sent to.")]) -> None:
    """Keep a secret for one host. Its value is read from the terminal, or from standard input."""
    terminal = sys.stdin.isatty()
    value = typer.prompt("Value", hide_input=True) if terminal else sys.stdin.read().rstrip("\r\n")
    with_client(lambda client: client.set_secret(name, host, value))
    print_line(f"{visible(name)}: set, for {visible(host)}")


@app.command("list")
def listed(
    json: Annotated[bool, typer.Option("--json", help="Print JSON, a line for each.")] = False,
) -> None:
    """List the secrets by name and host. Values are never shown."""
    found = with_client(lambda client: client.secrets())
    if json:
        print_json(found)
    for one in () if json else found:
        print_line(f"{one.name:<24} for {one.host}")
    if not found and not json:
        print_line("There are none. Try: pratique secret set API_TOKEN --host api.example.org")


@app.command()
def remove(name: Name) -> None:
    """Forget a secret."""
    with_client(lambda client: client.remove_secret(name))
    print_line(f"{visible(name)}: removed")
