"""`pratique secret set | list | remove`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import visible

app = typer.Typer(help="Manage secrets that runs use without seeing them.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name used by submissions, such as API_TOKEN.")]


@app.command("set")
def set_(
    name: Name, host: Annotated[str, typer.Option(help="The only host that the secret is sent to.")]
) -> None:
    """Store a secret for one host; the value is read from the terminal or standard input."""
    terminal = sys.stdin.isatty()
    value = typer.prompt("Value", hide_input=True) if terminal else sys.stdin.read().rstrip("\r\n")
    with_client(lambda client: client.secrets.set(name, host, value))
    print_line(f"{visible(name)}: stored for {visible(host)}")


@app.command("list")
def listed(
    json: Json = False,
) -> None:
    """List secrets by name and host, without their values."""
    found = with_client(lambda client: client.secrets.list())
    if json:
        print_json(found)
    for one in () if json else found:
        print_line(f"{one.name:<24} for {one.host}")
    if not found and not json:
        print_line("No secrets. Type: pratique secret set API_TOKEN --host api.example.org")


@app.command()
def remove(name: Name) -> None:
    """Delete a secret."""
    with_client(lambda client: client.secrets.remove(name))
    print_line(f"{visible(name)}: removed")
