"""Export parts of the history in several formats."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from engine.cli.output.formatting import print_erasures
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.local_files import new_file
from engine.common.text import visible
from engine.history.exports.asciicast import recording
from engine.history.exports.ocsf import records
from engine.history.exports.tables import comma_separated, jsonl
from engine.models import Case, Event, OutputChunk, Summary

PAGE = 500


class Format(StrEnum):
    """The formats of an export."""

    JSONL = "jsonl"
    CSV = "csv"
    OCSF = "ocsf"
    CAST = "cast"


def write(output: Path | None, lines: Iterable[str]) -> None:
    """Write lines to a file, or to standard output.

    Raises:
        Problem: the file cannot be written.
    """
    if output is None:
        sys.stdout.writelines(lines)
        return
    save(output, (line.encode() for line in lines))


def save(path: Path, parts: Iterable[bytes]) -> None:
    """Write a new file of mode 0600, which follows no link and replaces nothing.

    Raises:
        Problem: something has that name, or it cannot be written.
    """
    shown = visible(str(path))
    try:
        with new_file(path) as file:
            file.writelines(parts)
    except FileExistsError:
        raise Problem(
            409, f"{shown} exists already", hint=f"Choose another name, or type: rm {shown}"
        ) from None
    except OSError as error:
        raise Problem(422, f"{shown} cannot be written: {error.strerror}") from None


async def exported(client: Client, what: str, kind: Format) -> list[str]:
    """Return the lines of an export, and have the engine record it. Raises Problem."""
    if kind is Format.CAST:
        made = list(recording(*await _run(client, what)))
        await client.history.record_export(what, kind.value, 1)
        return made
    summaries = await found_by(client, what)
    await client.history.record_export(what, kind.value, len(summaries))
    if kind is Format.CSV:
        return list(comma_separated(summaries))
    events = [event for summary in summaries for event in await client.history.events(summary.id)]
    return list(jsonl(events)) if kind is Format.JSONL else _ocsf(events)


def _ocsf(events: Iterable[Event]) -> list[str]:
    return [json.dumps(record) + "\n" for record in records(events)]


async def _run(client: Client, id: str) -> tuple[Case, list[OutputChunk]]:
    if not id:
        raise Problem(
            422, "a recording needs one submission ID", hint="Type: pratique audit export ID --format cast"
        )
    case, chunks = await client.case(id), [chunk async for chunk in client.output(id)]
    print_erasures(one for one in await client.history.erasures(id) if one.what == "output")
    return case, chunks


async def found_by(client: Client, filter: str, limit: int | None = None, sort: str = "") -> list[Summary]:
    """Return the submissions that match a filter, newest first or sorted by a field. Raises Problem."""
    found: list[Summary] = []
    while limit is None or len(found) < limit:
        page = await client.history.search(filter, found[-1].id if found else None, PAGE, sort)
        if not page:
            break
        found += page
    return found[:limit]
