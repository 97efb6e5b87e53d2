"""`pratique effects | lines | look | rehearse`."""

from __future__ import annotations

from functools import partial
from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.exit_codes import ExitCode
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.effects_sarif import effects_sarif
from engine.cli.output.formatting import print_json, print_line
from engine.client.client import Client
from engine.common.effects.effect_lines import effect_line, match_line, status_line
from engine.common.errors import Problem
from engine.common.line_text import hits_text, lines_summary, time_text
from engine.common.rehearsal_lines import rehearsal_lines
from engine.common.snapshot_lines import snapshot_lines
from engine.common.text import visible
from engine.models.lines import LineMark, RunLines
from engine.models.snapshot import RunSnapshot

_WIDTH = 6
Other = Annotated[
    str, typer.Option("--with", metavar="ID", help="Another run of the same code, shown beside it.")
]


def effects(
    id: SubmissionId,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print the surprises as a SARIF 2.1.0 log.")] = False,
    json: Json = False,
) -> None:
    """Show what a run did, beside what was predicted and granted."""
    if sarif and json:
        raise Problem(422, "more than one output format", hint="Use one of --json and --sarif")
    found = with_client(lambda client: client.effects(id))
    if sarif:
        print_line(dumps(effects_sarif(id, found)))
        return
    if json:
        print_json(found)
        return
    print_line(status_line(found))
    for match in found.matches:
        print_line(match_line(match))
    for effect in found.effects:
        if not effect.routine:
            print_line(effect_line(effect))


def lines(id: SubmissionId, other: Other = "", json: Json = False) -> None:
    """Show which lines of a run's code ran, how often, how long, and which raised: the guest's own word."""
    ids = (id, other) if other else (id,)
    found = [with_client(partial(_lines_of, one)) for one in ids]
    if json:
        for each in found:
            print_json(each)
        return
    for each in found:
        print_line(lines_summary(each))
    code = with_client(lambda client: client.case(id)).submission.draft.code
    marks = [{mark.line: mark for mark in each.marks} for each in found]
    for number, text in enumerate(code.text.split("\n"), 1):
        cells = [_cell(each, known.get(number)) for each, known in zip(found, marks, strict=True)]
        print_line(f"{''.join(cells)}{number:>5}  {visible(text)}")


async def _lines_of(id: str, client: Client) -> RunLines:
    return await client.lines(id)


def _cell(lines: RunLines, mark: LineMark | None) -> str:
    """Return the sign, the hits and the time of a line."""
    if mark is None:
        return " " * (2 * _WIDTH + 2)
    sign = "!" if mark.raised else " "
    return f"{sign}{hits_text(lines, mark):>{_WIDTH}}{time_text(mark.milliseconds):>{_WIDTH}} "


def look(
    id: SubmissionId,
    pause: Annotated[bool, typer.Option("--pause", help="Pause the run first.")] = False,
    json: Json = False,
) -> None:
    """Show what a running or paused run is doing: processes, open files and sockets, last effects, stack."""

    async def seen(client: Client) -> RunSnapshot:
        if pause:
            await client.pause(id)
        return await client.look(id)

    found = with_client(seen)
    if json:
        print_json(found)
        return
    for line in snapshot_lines(found):
        print_line(line)
    if found.paused:
        print_line(f"To let it go on: pratique resume {visible(id)}   To end it: pratique kill {visible(id)}")


def rehearse(
    id: SubmissionId,
    withhold_files: Annotated[
        bool, typer.Option("--withhold-files", help="Give it none of its input files.")
    ] = False,
    last: Annotated[bool, typer.Option("--last", help="Show the last rehearsal instead.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop the rehearsal that goes on.")] = False,
    json: Json = False,
) -> None:
    """Run a pending submission before deciding: nothing granted, decoys for secrets, no network."""
    if stop:
        with_client(lambda client: client.reviews.stop_rehearsal(id))
        return
    found = with_client(
        lambda client: (
            client.reviews.rehearsal(id)
            if last
            else client.reviews.rehearse(id, withhold_files=withhold_files)
        )
    )
    if json:
        print_json(found)
    else:
        for line in rehearsal_lines(found):
            print_line(line)
    if found.convicted:
        raise typer.Exit(ExitCode.FAILED)
