"""`pratique token create | list | revoke`."""

from __future__ import annotations

from datetime import UTC, datetime
from json import dumps
from typing import Annotated

import typer

from engine import locations
from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.common.text import visible
from engine.models import Scope, Token
from engine.principals import agent_files

app = typer.Typer(help="Manage access tokens for clients over TCP.", no_args_is_help=True)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the principal that the token authenticates.")],
    scope: Annotated[list[Scope], typer.Option(help="Scope of the token; repeatable.")],
    days: Annotated[float, typer.Option(help="Days until the token expires.", min=0.001, max=3660)] = 30,
    key: Annotated[
        str, typer.Option(help="Ed25519 public key, in hex, that verifies the signatures of its decisions.")
    ] = "",
    person: Annotated[
        str, typer.Option(help="Who holds it: two tokens of one person are not two reviewers.")
    ] = "",
    save: Annotated[
        bool, typer.Option("--save", help="Store the secret for `pratique mcp --name NAME`; print none.")
    ] = False,
    json: Json = False,
) -> None:
    """Create a token and print its secret once; only a hash is stored."""
    made = with_client(lambda client: client.tokens.create(name, tuple(scope), days, key, person))
    if save:
        path = agent_files.save(locations.agents(), made.token.name.text, made.secret)
        print_json(made.token) if json else print_line(f"{_line(made.token)}, in {visible(str(path))}")
        return
    if json:
        print_json(made)
        return
    print_line(made.secret)
    print_line(dim(f"{_line(made.token)}. The secret cannot be shown again."), error=True)


@app.command("list")
def listed(json: Json = False) -> None:
    """List the tokens that are not revoked."""
    tokens = with_client(lambda client: client.tokens.list())
    if json:
        print_json(tokens)
    for token in () if json else tokens:
        print_line(_line(token))
    if not tokens and not json:
        print_line("No tokens. Type: pratique token create NAME --scope submit")


@app.command()
def revoke(
    id: Annotated[str, typer.Argument(help="Token ID, as shown by `pratique token list`.")],
    json: Json = False,
) -> None:
    """Revoke a token, effective immediately."""
    with_client(lambda client: client.tokens.revoke(id))
    print_line(dumps({"revoked": id}) if json else f"{visible(id)}: revoked")


def _line(token: Token) -> str:
    scopes = ", ".join(token.scopes)
    state = "until" if token.expires_at > datetime.now(UTC) else "expired"
    return f"{token.id}  {visible(token.name):<16} {scopes:<16} {state} {token.expires_at:%Y-%m-%d %H:%M} UTC"
