"""`pratique standing list | give | revoke`, and `pratique claim`."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import engaged
from engine.cli.formatting import dim, level, say, say_json
from engine.common.text import visible
from engine.models import Level, MatchMode, PreApproval

app = typer.Typer(help="Approvals given beforehand, for submissions that are the same.")

Id = Annotated[str, typer.Argument(help="The submission, as `pratique queue` names it.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, a line for each.")]


@app.command("list")
def listed(
    json: Json = False,
) -> None:
    """List the standing approvals that hold or held, but for those taken back."""
    standings = engaged(lambda client: client.standings())
    if json:
        say_json(standings)
    for standing in () if json else standings:
        _say(standing)
    if not standings and not json:
        say("There are none. Try: pratique standing give SUBMISSION")


@app.command()
def give(
    id: Id,
    same: Annotated[MatchMode, typer.Option(help="What has to be the same.")] = MatchMode.DIGEST,
    ceiling: Annotated[Level, typer.Option(help="Nothing of a higher risk rests on it.")] = Level.HIGH,
    uses: Annotated[int, typer.Option(min=1, help="How many submissions may rest on it.")] = 10,
    days: Annotated[float, typer.Option(help="How long it holds.")] = 7,
    json: Json = False,
) -> None:
    """Let submissions that are the same as an approved one be approved at once, for the same requester."""
    standing = engaged(lambda client: client.stand(id, same, ceiling, uses, days))
    say_json(standing) if json else _say(standing)


@app.command()
def revoke(id: Annotated[str, typer.Argument(help="The standing approval.")], json: Json = False) -> None:
    """Take a standing approval back; nothing rests on it from then on."""
    engaged(lambda client: client.revoke(id))
    say(dumps({"revoked": id}) if json else f"{visible(id)}: taken back")


def claim(
    id: Id,
    release: Annotated[bool, typer.Option("--release", help="Let go of it.")] = False,
    json: Json = False,
) -> None:
    """Say that you are at a submission, so that no other reviewer does the same work."""
    case = engaged(lambda client: client.release(id) if release else client.claim(id))
    held = f"yours until {case.claim.until:%H:%M:%S} UTC" if case.claim else "nobody's"
    say_json(case) if json else say(f"{visible(id)}: {held}")


def _say(standing: PreApproval) -> None:
    say(
        f"{standing.id}  {level(standing.ceiling)} at most, same {standing.match_mode} as {standing.basis}, "
        f"{standing.uses - standing.used} of {standing.uses} uses left"
    )
    until = f"until {standing.until:%Y-%m-%d %H:%M} UTC"
    say(dim(f"{'':12}{until}, for {visible(standing.requester)}, by {visible(standing.by.name)}"))
