"""`pratique rescan start | list | stop`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.commands.audit import check_filter, total_text
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.cli.output.progress import progress_bar
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import visible
from engine.models.rescan import Rescan, RescanState

app = typer.Typer(help="Apply today's analysis and policy to code that was submitted earlier.")
POLL_SECONDS = 0.5


@app.command()
def start(
    query: Annotated[str, typer.Argument(help="A search, as in `pratique audit search`; empty: all.")] = "",
    share: Annotated[float, typer.Option(min=0.01, max=1, help="Share of one core.")] = 0.5,
    wait: Annotated[bool, typer.Option("--wait", help="Show the progress until it ends.")] = False,
    json: Json = False,
) -> None:
    """Start a rescan in the background of the engine; what it finds is found by `rescan:worse`."""
    check_filter(query)
    begun = with_client(lambda client: client.rescans.begin(query, share))
    rescan = with_client(lambda client: _ended(client, begun.id)) if wait else begun
    print_json(rescan) if json else _print(rescan)


@app.command("list")
def listed(json: Json = False) -> None:
    """List the rescans with their progress."""
    found = with_client(lambda client: client.rescans.list())
    if json:
        print_json(found)
    for rescan in () if json else found:
        _print(rescan)
    if not found and not json:
        print_line("No rescans. Type: pratique rescan start QUERY")


@app.command()
def stop(
    id: Annotated[str, typer.Argument(help="Rescan ID, as shown by `pratique rescan list`.")],
    json: Json = False,
) -> None:
    """Stop a rescan; what it found stays."""
    rescan = with_client(lambda client: client.rescans.stop(id))
    print_json(rescan) if json else _print(rescan)


async def _ended(client: Client, id: str) -> Rescan:
    """Show the progress of a rescan, and return it once it does not go on."""
    with progress_bar("submissions") as report_progress:
        while True:
            rescan = next((one for one in await client.rescans.list() if one.id == id), None)
            if rescan is None:
                raise Problem(404, f"there is no rescan {visible(id)}", hint="Type: pratique rescan list")
            if rescan.state is not RescanState.RUNNING:
                return rescan
            report_progress(rescan.done, rescan.total.count)
            await asyncio.sleep(POLL_SECONDS)


def _print(rescan: Rescan) -> None:
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in rescan.counts.items()) or "nothing yet"
    print_line(f"{rescan.id}  {rescan.state}  {rescan.done:,} of {total_text(rescan.total)}: {counts}")
    query = visible(rescan.request.query) or "everything"
    print_line(dim(f"{'':12}{query}, by {visible(rescan.by)} {rescan.at:%Y-%m-%d %H:%M} UTC"))
    if rescan.counts.keys() - {"same"}:
        print_line(dim(f"{'':12}to see them: pratique audit search 'rescan:worse rescan.id:{rescan.id}'"))
