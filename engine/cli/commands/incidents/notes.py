"""`pratique note`, `pratique tag`."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.formatting import print_line
from engine.common.text import visible


def note(
    id: SubmissionId,
    text: Annotated[str, typer.Argument(help="The note; it is an event, and found by `note:`.")],
    json: Json = False,
) -> None:
    """Add a note to a submission."""
    with_client(lambda client: client.incidents.note(id, text))
    print_line(dumps({"noted": id}) if json else f"{visible(id)}: noted")


def tag(
    id: SubmissionId,
    name: Annotated[str, typer.Argument(help="The tag: a-z 0-9 . _ -; it is found by `tag:`.")],
    remove: Annotated[bool, typer.Option("--remove", help="Remove the tag.")] = False,
    json: Json = False,
) -> None:
    """Tag a submission, or remove a tag."""
    if remove:
        with_client(lambda client: client.incidents.untag(id, name))
    else:
        with_client(lambda client: client.incidents.tag(id, name))
    done = "removed" if remove else "tagged"
    print_line(dumps({done: id, "tag": name}) if json else f"{visible(id)}: {done} {visible(name)}")
