"""`pratique pre-approval list | create | revoke`."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.output.formatting import dim, level, print_json, print_line
from engine.common.text import visible
from engine.models import Level, MatchMode, PreApproval

app = typer.Typer(help="Approvals given in advance for identical or equivalent submissions.")

Id = Annotated[str, typer.Argument(help="The submission, as `pratique queue` names it.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, a line for each.")]


@app.command("list")
def listed(
    json: Json = False,
) -> None:
    """List the pre-approvals that were not revoked."""
    pre_approvals = with_client(lambda client: client.pre_approvals())
    if json:
        print_json(pre_approvals)
    for pre_approval in () if json else pre_approvals:
        _print(pre_approval)
    if not pre_approvals and not json:
        print_line("There are none. Try: pratique pre-approval create SUBMISSION")


@app.command()
def create(
    id: Id,
    match: Annotated[
        MatchMode,
        typer.Option(help="exact: the same bytes. structure: names and harmless literals may differ."),
    ] = MatchMode.EXACT,
    ceiling: Annotated[Level, typer.Option(help="The highest risk that it approves.")] = Level.HIGH,
    uses: Annotated[int, typer.Option(min=1, help="How many submissions it approves.")] = 10,
    days: Annotated[float, typer.Option(help="After how many days it ends.")] = 7,
    json: Json = False,
) -> None:
    """Approve later submissions of the same requester in advance, where they match an approved one."""
    pre_approval = with_client(lambda client: client.create_pre_approval(id, match, ceiling, uses, days))
    print_json(pre_approval) if json else _print(pre_approval)


@app.command()
def revoke(id: Annotated[str, typer.Argument(help="The pre-approval.")], json: Json = False) -> None:
    """Revoke a pre-approval: no later submission uses it."""
    with_client(lambda client: client.revoke_pre_approval(id))
    print_line(dumps({"revoked": id}) if json else f"{visible(id)}: revoked")


def _print(pre_approval: PreApproval) -> None:
    print_line(
        f"{pre_approval.id}  {level(pre_approval.ceiling)} at most, "
        f"{pre_approval.match_mode} match of {pre_approval.basis}, "
        f"{pre_approval.uses - pre_approval.used} of {pre_approval.uses} uses left"
    )
    until = f"until {pre_approval.until:%Y-%m-%d %H:%M} UTC"
    print_line(
        dim(f"{'':12}{until}, for {visible(pre_approval.requester)}, by {visible(pre_approval.by.name)}")
    )
