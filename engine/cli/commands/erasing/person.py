"""`pratique export-person`."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_line
from engine.common.errors import Problem
from engine.common.local_files import write_private
from engine.common.text import visible


def export_person(
    name: Annotated[str, typer.Argument(help="The name under which they submitted and decided.")],
    file: Annotated[Path, typer.Argument(help="The ZIP to write; it must not be there yet.")],
    json: Json = False,
) -> None:
    """Write everything that is stored about a person to one file. That it was made is recorded."""
    if file.exists():
        raise Problem(409, f"{file} is there already", hint="Name a file that is not")
    content = with_client(lambda client: client.erasures.person_file(name))
    write_private(file, content)
    done = {"person": name, "file": str(file), "bytes": len(content)}
    print_line(dumps(done) if json else f"{visible(name)}: {len(content):,} bytes in {visible(str(file))}")
