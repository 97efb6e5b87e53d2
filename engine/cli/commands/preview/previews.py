"""`pratique preview …`: servers in running sandboxes, shown in the browser of this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import many, visible
from engine.models import OpenedPreview, Preview, PreviewRequest

app = typer.Typer(
    help="Show a server that runs in a sandbox in your browser, without giving it a network.",
    no_args_is_help=True,
)

Id = Annotated[str, typer.Argument(help="Preview ID, as shown by `pratique preview list`.")]
Port = Annotated[int, typer.Option(help="Port on which the program listens.", min=1, max=65535)]


@app.command("open")
def open_(id: SubmissionId, port: Port = 8000, json: Json = False) -> None:
    """Open a preview of a run that goes on, or of its session, and print a link that works once."""
    _print_opened(with_client(lambda client: client.previews.open(id, port)), json)


@app.command("list")
def listed(json: Json = False) -> None:
    """List the open previews."""
    found = with_client(lambda client: client.previews.list())
    if json:
        print_json(found)
        return
    for preview in found:
        print_line(_line(preview))
    if not found:
        print_line("No previews. Type: pratique preview open RUN", error=True)


@app.command("link")
def link(id: Id, json: Json = False) -> None:
    """Print a new link to an open preview, for another browser."""
    _print_opened(with_client(lambda client: client.previews.link(id)), json)


@app.command("requests")
def requests(id: Id, json: Json = False) -> None:
    """List the last requests to a preview."""
    found = with_client(lambda client: client.previews.requests(id))
    if json:
        print_json(found)
        return
    for request in found:
        print_line(_request_line(request))


@app.command("close")
def close(id: Id, json: Json = False) -> None:
    """Close a preview; it also ends with its run, or with its session."""
    with_client(lambda client: client.previews.close(id))
    print_line(f'{{"closed": "{visible(id)[:64]}"}}' if json else f"{visible(id)[:64]} is closed")


def _print_opened(opened: OpenedPreview, json: bool) -> None:
    if json:
        print_json(opened)
        return
    print_line(opened.link)
    print_line(f"{opened.preview.id}: the link works once.", error=True)
    print_line("The preview ends with its run, or with its session.", error=True)


def _line(preview: Preview) -> str:
    asked = many(preview.requests, "request")
    return f"{preview.id}  {preview.run}  port {preview.port}  http://{preview.host}  {asked}"


def _request_line(request: PreviewRequest) -> str:
    what = f"{request.status}  {visible(request.method):<7} {visible(request.path)}"
    return f"{what}  {request.size:,} B  {request.seconds * 1000:.0f} ms"
