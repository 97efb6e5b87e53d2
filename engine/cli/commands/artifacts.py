"""`pratique files | fetch`: the files of a run, while it is running and afterwards."""

from __future__ import annotations

import json as plain_json
import sys
from base64 import b64encode
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.formatting import print_json, print_line
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.local_files import new_file
from engine.common.text import Untrusted, many, visible
from engine.models import Artifact, WorkspaceFile

Name = Annotated[str, typer.Argument(help="File name as shown by `pratique files`, or its digest.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this new file instead of standard output.")
]


def files(id: SubmissionId, json: Json = False) -> None:
    """List the files of a run: its workspace while it is running, its artifacts afterwards."""
    found = with_client(lambda client: files_of(client, id))
    if json:
        print_json(found)
        return
    for one in found:
        print_line(f"{one.size:>12,}  {visible(one.name)}")
    if not found:
        print_line("No files.", error=True)


def fetch(id: SubmissionId, name: Name, output: Output = None, json: Json = False) -> None:
    """Print or save a file of a run; on a terminal, control characters are made visible."""
    content = with_client(lambda client: _content(client, id, name))
    if output is not None:
        _save(content, output)
    if json:
        facts = {"name": name, "size": len(content)}
        print_line(plain_json.dumps(facts if output else facts | {"base64": b64encode(content).decode()}))
    elif output is not None:
        print_line(f"{visible(str(output))}: {many(len(content), 'byte')}", error=True)
    elif sys.stdout.isatty():
        print_line(visible(content.decode(errors="replace"), keep="\n\t"))
    else:
        sys.stdout.buffer.write(content)


async def files_of(client: Client, id: str) -> tuple[WorkspaceFile | Artifact, ...]:
    """Return the workspace files of a running run, or the artifacts of a finished one.

    Raises:
        Problem: the run has not started.
    """
    try:
        return await client.files(id)
    except Problem as problem:
        case = await client.case(id)
        if problem.status != 409 or case.result is None:
            raise
        return case.result.artifacts


async def _content(client: Client, id: str, name: str) -> bytes:
    """Return a file by its name, or by the visible form of its name."""
    try:
        return await client.artifact(id, Untrusted(name))
    except Problem as problem:
        if problem.status != 404:
            raise
        shown = [one.name for one in await files_of(client, id) if visible(one.name) == name]
        if len(shown) != 1 or shown[0].text == name:
            raise
        return await client.artifact(id, shown[0])


def _save(content: bytes, path: Path) -> None:
    """Write a new file that only its owner can read; never overwrite one or follow a link."""
    try:
        with new_file(path) as file:
            file.write(content)
    except OSError as error:
        raise Problem(422, f"{visible(str(path))} cannot be written: {error.strerror}") from None
