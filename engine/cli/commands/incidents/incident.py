"""`pratique incident open | list | show | add | export`."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.cli.output.progress import progress_bar
from engine.client.incidents import sealed_with_progress
from engine.common.errors import Problem
from engine.common.text import many, visible
from engine.models.incident import EntryKind, Incident

app = typer.Typer(help="Collect submissions, queries and notes of an incident, and seal them into one file.")
IncidentId = Annotated[str, typer.Argument(help="Incident ID, as shown by `pratique incident list`.")]


@app.command("open")
def opened(name: Annotated[str, typer.Argument(help="What it is about.")], json: Json = False) -> None:
    """Open an incident."""
    incident = with_client(lambda client: client.incidents.open(name))
    print_json(incident) if json else _print(incident)


@app.command("list")
def listed(json: Json = False) -> None:
    """List the incidents."""
    found = with_client(lambda client: client.incidents.list())
    if json:
        print_json(found)
    for incident in () if json else found:
        _print(incident)
    if not found and not json:
        print_line("No incidents. Type: pratique incident open NAME")


@app.command()
def show(id: IncidentId, json: Json = False) -> None:
    """Print what is in an incident."""
    incident = with_client(lambda client: client.incidents.incident(id))
    if json:
        print_json(incident)
        return
    _print(incident)
    for entry in incident.entries:
        who = dim(f"{entry.at:%Y-%m-%d %H:%M} {visible(entry.by)}")
        print_line(f"  {entry.kind:<10}  {visible(entry.value)}  {who}")


@app.command()
def add(
    id: IncidentId,
    kind: Annotated[EntryKind, typer.Argument(help="What the value is.")],
    value: Annotated[str, typer.Argument(help="A submission's ID, a search, or a note.")],
    json: Json = False,
) -> None:
    """Add a submission, a note, or a search with all that it finds now."""
    incident = with_client(lambda client: client.incidents.add(id, kind, value))
    print_json(incident) if json else _print(incident)


@app.command()
def export(
    id: IncidentId,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write; it must not exist.")],
    json: Json = False,
) -> None:
    """Seal an incident into one file that anyone can verify: python3 verify.py --key KEY FILE."""
    if output.exists():
        raise Problem(409, f"{visible(str(output))} is there already", hint="Name a file that is not")
    with progress_bar("submissions") as report:
        content = with_client(lambda client: sealed_with_progress(client.incidents, id, report))
    try:
        with output.open("xb") as file:
            file.write(content)
    except OSError as error:
        raise Problem(409, f"{visible(str(output))} cannot be written: {error.strerror}") from None
    if json:
        print_line(dumps({"incident": id, "bytes": len(content)}))
    else:
        print_line(f"{visible(id)}: {len(content):,} bytes. To verify: python3 verify.py --key KEY {output}")


def _print(incident: Incident) -> None:
    print_line(f"{incident.id}  {visible(incident.name)}")
    what = f"{many(len(incident.submissions), 'submission')}, {many(len(incident.entries), 'item')}"
    print_line(dim(f"{'':12}{what}, opened by {visible(incident.by)} {incident.at:%Y-%m-%d %H:%M} UTC"))
