"""`pratique restore FOLDER`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine import locations
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_json, print_line
from engine.common.errors import Problem
from engine.common.text import visible
from engine.history.errors import HistoryError
from engine.history.store.restore import restore as put_back


def restore(
    folder: Annotated[Path, typer.Argument(help="A folder that `pratique backup` made.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Move the history that is there aside; without it, refuse.")
    ] = False,
    json: Json = False,
) -> None:
    """Put a backup of the history and the keys in place, after verifying it; no engine may run."""
    try:
        done = put_back(folder, locations.database(), replace=replace)
    except HistoryError as error:
        raise Problem(422, error.title, hint=error.hint) from None
    if json:
        print_json(done.verification)
        return
    print_line(visible(done.verification.statement))
    if done.aside:
        print_line(f"what was there is in {visible(str(done.aside))}")
    print_line("restored. The next engine says in Health which later records are missing: pratique doctor")
