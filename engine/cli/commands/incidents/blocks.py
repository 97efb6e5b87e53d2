"""`pratique block list | create | remove`."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.common.text import Untrusted, visible
from engine.models.response import MOST_HOURS, Block, BlockKind, BlockTarget

app = typer.Typer(help="Block agents, tokens, hosts, secrets, code and pre-approvals for a time.")
Hours = Annotated[float, typer.Option(min=0.01, max=MOST_HOURS, help="Hours until a block expires.")]
Reason = Annotated[str, typer.Option(help="Why; it is recorded, and refused agents are told.")]


@app.command("list")
def listed(json: Json = False) -> None:
    """List the blocks in force."""
    blocks = with_client(lambda client: client.responses.blocks())
    if json:
        print_json(blocks)
    for block in () if json else blocks:
        _print(block)
    if not blocks and not json:
        print_line("No blocks. Type: pratique block create agent NAME")


@app.command()
def create(
    kind: Annotated[BlockKind, typer.Argument(help="What the value is.")],
    value: Annotated[str, typer.Argument(help="A name, a host, a token's ID, or a fingerprint of code.")],
    hours: Hours = 24,
    reason: Reason = "",
    json: Json = False,
) -> None:
    """Block something; submissions that fall under it are refused until the block expires or is removed."""
    target = BlockTarget(kind=kind, value=Untrusted(value))
    block = with_client(lambda client: client.responses.block(target, hours, reason))
    print_json(block) if json else _print(block)


@app.command()
def remove(
    id: Annotated[str, typer.Argument(help="Block ID, as shown by `pratique block list`.")],
    json: Json = False,
) -> None:
    """Remove a block; what was refused because of it stays refused."""
    with_client(lambda client: client.responses.unblock(id))
    print_line(dumps({"removed": id}) if json else f"{visible(id)}: removed")


def _print(block: Block) -> None:
    print_line(f"{block.id}  {block.kind.value.replace('_', '-')}  {visible(block.value)}")
    why = f": {visible(block.reason)}" if block.reason else ""
    print_line(dim(f"{'':12}until {block.until:%Y-%m-%d %H:%M} UTC, by {visible(block.by)}{why}"))
