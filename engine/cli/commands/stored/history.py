"""`pratique history [FILTER] | migrate [URL]`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from engine import locations
from engine.cli.client_context import with_client
from engine.cli.load_settings import load_settings
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_json, print_line, print_summaries
from engine.cli.output.progress import progress_bar
from engine.cli.visible_errors import VisibleErrors
from engine.common.errors import Problem
from engine.common.text import visible
from engine.history.errors import HistoryError

LIST = "list"


class _ListsUnlessNamed(VisibleErrors):
    """A group that lists where the first word names none of its commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words behind `pratique history`."""
        if not args or args[0] not in {*self.commands, "--help", "-h"}:
            args = [LIST, *args]
        return list(super().parse_args(ctx, args))


app = typer.Typer(
    cls=_ListsUnlessNamed,
    help="List past submissions, newest first: history [FILTER]; move them to a database.",
)


@app.command(LIST)
def list_history(
    filter: Annotated[str, typer.Argument(help="Filter, for example: risk:critical since:7d")] = "",
    json: Json = False,
) -> None:
    """List past submissions, newest first."""
    summaries = with_client(lambda client: client.history.search(filter))
    if json:
        print_json(summaries)
    elif summaries:
        print_summaries(summaries)
    else:
        print_line("No submission matches." if filter else "No submissions yet.")


@app.command()
def migrate(
    url: Annotated[str, typer.Argument(help="Of an empty database; if not given: history.database.")] = "",
    json: Json = False,
) -> None:
    """Copy the history from its file into PostgreSQL, and verify it before and after; no engine may run."""
    target = _target(url, load_settings().history.database)
    try:
        from engine.history.store.postgres.from_sqlite import copy_history  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise Problem(
            422, f"{error.name} is missing", hint="Type: pip install 'pratique[postgres]'"
        ) from None
    try:
        with progress_bar("records") as progress:
            done = copy_history(locations.database(), target, progress)
    except HistoryError as error:
        raise Problem(422, error.title, hint=error.hint) from None
    if json:
        print_json(done.verification)
        return
    print_line(visible(done.verification.statement))
    print_line("it was copied before" if done.already else "copied")
    print_line(f"In {visible(str(locations.settings_file()))}, set history.database to {visible(target)}")


def _target(url: str, setting: str) -> str:
    """Return the URL to copy to.

    Raises:
        Problem: none is named, or the history is in a database already.
    """
    if setting and url not in {"", setting}:
        raise Problem(
            422,
            "the history is in a database already, which nothing is copied out of: history.database is set",
            hint="Between servers use pg_dump and psql",
        )
    if not (url or setting):
        raise Problem(422, "no database is named", hint="pratique history migrate postgresql://HOST/NAME")
    return url or setting
