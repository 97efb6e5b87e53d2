"""`pratique erasures`."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.common.text import many, visible
from engine.models.erasing.erasure import RecordedErasure


def erasures(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of results.")] = 100,
    json: Json = False,
) -> None:
    """List what was erased, by whom and why, the newest first."""
    found = with_client(lambda client: client.erasures.list(limit))
    if json:
        print_json(found)
        return
    for one in found:
        _print(one)
    if not found:
        print_line("Nothing was erased.")


def _print(one: RecordedErasure) -> None:
    what = f"{many(one.contents, 'content')}, texts of {many(one.records, 'record')}"
    print_line(f"{one.at:%Y-%m-%d %H:%M} UTC  {visible(one.submission) or 'several submissions'}  {what}")
    why = ": ".join(visible(words) for words in (one.rule, one.reason) if words)
    print_line(dim(f"{'':22}{why}, by {visible(one.by)}"))
