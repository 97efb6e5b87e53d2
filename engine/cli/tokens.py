"""`pratique token create | list | revoke`."""

from __future__ import annotations

from datetime import UTC, datetime
from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import engaged
from engine.cli.formatting import dim, say, say_json
from engine.common.text import visible
from engine.models import Scope, Token

app = typer.Typer(help="Tokens, by which programs are let in over TCP.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON, a line for each.")]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="The principal that it stands for.")],
    scope: Annotated[list[Scope], typer.Option(help="What it is good for; may come more than once.")],
    days: Annotated[float, typer.Option(help="How long it holds.", min=0.001, max=3660)] = 30,
    key: Annotated[str, typer.Option(help="The Ed25519 public key, in hex, that signs its decisions.")] = "",
    json: Json = False,
) -> None:
    """Make a token. Its secret is printed this once; only a hash is kept."""
    made = engaged(lambda client: client.create_token(name, tuple(scope), days, key))
    if json:
        say_json(made)
        return
    say(made.secret)
    say(dim(f"{_line(made.token)}. Nobody can show it again."), error=True)


@app.command("list")
def listed(json: Json = False) -> None:
    """List the tokens that are not revoked."""
    tokens = engaged(lambda client: client.tokens())
    if json:
        say_json(tokens)
    for token in () if json else tokens:
        say(_line(token))
    if not tokens and not json:
        say("There are none. Try: pratique token create NAME --scope submit")


@app.command()
def revoke(
    id: Annotated[str, typer.Argument(help="The token, as `pratique token list` names it.")],
    json: Json = False,
) -> None:
    """Take a token back, at once."""
    engaged(lambda client: client.revoke_token(id))
    say(dumps({"revoked": id}) if json else f"{visible(id)}: revoked")


def _line(token: Token) -> str:
    scopes = ", ".join(token.scopes)
    state = "until" if token.expires_at > datetime.now(UTC) else "expired"
    return f"{token.id}  {visible(token.name):<16} {scopes:<16} {state} {token.expires_at:%Y-%m-%d %H:%M} UTC"
