"""`pratique backup FOLDER`."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import Annotated

import typer

from engine import locations
from engine.cli.exit_codes import ExitCode
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_json, print_line
from engine.common.errors import Problem
from engine.common.text import visible
from engine.history.errors import HistoryError
from engine.history.store.sqlite.backup import back_up


def backup(
    folder: Annotated[Path, typer.Argument(help="A folder that is not there yet.")],
    json: Json = False,
) -> None:
    """Copy the history and the keys into a new folder, also while an engine runs; verify the copy."""
    try:
        found = back_up(locations.database(), folder)
        shutil.copytree(locations.keys(), folder / "keys")
        with contextlib.suppress(FileNotFoundError):
            shutil.copy(locations.drills(), folder)
    except HistoryError as error:
        raise Problem(422, error.title, hint=error.hint) from None
    except OSError as error:
        raise Problem(422, f"{visible(str(folder))} cannot be written: {error.strerror}") from None
    if json:
        print_json(found)
    else:
        print_line(visible(found.statement), error=not found.intact)
    if found.intact and not json:
        print_line(f"{visible(str(folder))}: keep it private, it has the private keys")
    raise typer.Exit(ExitCode.OK if found.intact else ExitCode.FAILED)
