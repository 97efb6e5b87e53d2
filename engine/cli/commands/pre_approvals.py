"""`pratique pre-approval list | create | revoke`."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.formatting import dim, level, print_json, print_line
from engine.common.text import visible
from engine.models import Level, MatchMode, PreApproval

app = typer.Typer(help="Manage approvals given in advance for identical or equivalent submissions.")


@app.command("list")
def listed(
    json: Json = False,
) -> None:
    """List the pre-approvals that are not revoked."""
    pre_approvals = with_client(lambda client: client.pre_approvals.list())
    if json:
        print_json(pre_approvals)
    for pre_approval in () if json else pre_approvals:
        _print(pre_approval)
    if not pre_approvals and not json:
        print_line("No pre-approvals. Type: pratique pre-approval create SUBMISSION")


@app.command()
def create(
    id: SubmissionId,
    match: Annotated[
        MatchMode,
        typer.Option(help="exact: the same bytes. structure: names of variables and comments may differ."),
    ] = MatchMode.EXACT,
    ceiling: Annotated[Level, typer.Option(help="Highest risk to approve.")] = Level.HIGH,
    uses: Annotated[int, typer.Option(min=1, help="Number of submissions to approve.")] = 10,
    days: Annotated[float, typer.Option(help="Days until it expires.")] = 7,
    json: Json = False,
) -> None:
    """Pre-approve later submissions of the same requester that match an approved one."""
    pre_approval = with_client(lambda client: client.pre_approvals.create(id, match, ceiling, uses, days))
    print_json(pre_approval) if json else _print(pre_approval)


@app.command()
def revoke(
    id: Annotated[str, typer.Argument(help="Pre-approval ID, as shown by `pratique pre-approval list`.")],
    json: Json = False,
) -> None:
    """Revoke a pre-approval; it approves nothing from then on."""
    with_client(lambda client: client.pre_approvals.revoke(id))
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
