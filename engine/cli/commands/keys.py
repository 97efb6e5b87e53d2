"""`pratique key list | revoke`."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import visible
from engine.models import ReviewerKey

app = typer.Typer(help="Manage the keys that reviewers' decisions are signed with.", no_args_is_help=True)


@app.command("list")
def listed(json: Json = False) -> None:
    """List every key that was ever registered, the oldest first."""
    keys = with_client(lambda client: client.keys.list())
    if json:
        print_json(keys)
    for key in () if json else keys:
        print_line(_line(key))
    if not keys and not json:
        print_line("No keys. One is registered when its reviewer decides for the first time.")


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(help="Public key in hexadecimal, as shown by `pratique key list`.")],
    json: Json = False,
) -> None:
    """Revoke a key: it signs nothing any more, and the pre-approvals that it signed end."""
    with_client(lambda client: client.keys.revoke(key))
    print_line(dumps({"revoked": key}) if json else f"{visible(key)}: revoked")


def _line(key: ReviewerKey) -> str:
    removed = f", removed {key.removed_at:%Y-%m-%d %H:%M} UTC" if key.removed_at else ""
    return f"{key.key}  {visible(key.name):<16} registered {key.registered_at:%Y-%m-%d %H:%M} UTC{removed}"
