"""`pratique respond plan | act | list | undo`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.commands.incidents.blocks import Hours, Reason
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.common.errors import Problem
from engine.common.text import Untrusted, many, visible
from engine.models.response import BlockKind, BlockTarget, Response, ResponsePlan, ResponseRequest

app = typer.Typer(help="Stop runs and block what a search finds, as one step that can be undone.")
Query = Annotated[str, typer.Argument(help="A search, as in `pratique audit search`.")]


@app.command()
def plan(query: Query, json: Json = False) -> None:
    """Print the runs that could be stopped, and what could be blocked; do nothing."""
    found = with_client(lambda client: client.responses.plan(query))
    if json:
        print_json(found)
    for line in () if json else _plan_lines(found):
        print_line(line)


@app.command()
def act(
    query: Query,
    stop: Annotated[bool, typer.Option("--stop", help="Stop the runs. This cannot be undone.")] = False,
    pause: Annotated[bool, typer.Option("--pause", help="Pause the runs.")] = False,
    block: Annotated[
        list[str] | None, typer.Option(help="A kind (agent), or a kind and a value (host=evil.example).")
    ] = None,
    hours: Hours = 24,
    reason: Reason = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    json: Json = False,
) -> None:
    """Stop or pause the runs that a search finds, and block what they have, after confirmation."""
    found = with_client(lambda client: client.responses.plan(query))
    request = ResponseRequest(
        query=query,
        stop=found.running if stop else (),
        pause=found.running if pause and not stop else (),
        block=tuple(_chosen(block or (), found)),
        hours=hours,
        reason=Untrusted(reason),
    )
    if not yes and not _confirmed(request):
        raise Problem(409, "nothing was done")
    _print(with_client(lambda client: client.responses.respond(request)), json=json)


@app.command("list")
def listed(json: Json = False) -> None:
    """List what responders did."""
    made = with_client(lambda client: client.responses.list())
    if json:
        print_json(made)
    for response in () if json else made:
        _print(response, json=False)
    if not made and not json:
        print_line("No responses. Type: pratique respond plan QUERY")


@app.command()
def undo(
    id: Annotated[str, typer.Argument(help="Response ID, as shown by `pratique respond list`.")],
    json: Json = False,
) -> None:
    """Remove the blocks of a response and resume what it paused; what was stopped stays stopped."""
    _print(with_client(lambda client: client.responses.undo(id)), json=json)


def _plan_lines(plan: ResponsePlan) -> Iterator[str]:
    at_least = "" if plan.total.exact else "at least "
    yield f"{at_least}{many(plan.total.count, 'submission')}, {many(len(plan.running), 'run')} going on"
    yield from (f"  run  {run}" for run in plan.running)
    yield from (f"  {_target(target)}" for target in plan.targets)
    if not plan.complete:
        yield dim("Only the newest submissions were looked at for what could be blocked.")


def _chosen(asked: Sequence[str], plan: ResponsePlan) -> Iterator[BlockTarget]:
    for one in asked:
        name, equals, value = one.partition("=")
        kind = _kind(name)
        if equals:
            yield BlockTarget(kind=kind, value=Untrusted(value))
        else:
            yield from (target for target in plan.targets if target.kind is kind)


def _kind(name: str) -> BlockKind:
    try:
        return BlockKind(name.replace("-", "_"))
    except ValueError:
        known = ", ".join(kind.value for kind in BlockKind)
        raise Problem(422, f"nothing is blocked by {visible(name)}", hint=f"One of: {known}") from None


def _confirmed(request: ResponseRequest) -> bool:
    for line in _request_lines(request):
        print_line(line)
    return typer.confirm("Do this?")


def _request_lines(request: ResponseRequest) -> Iterator[str]:
    yield from (f"  stop   {visible(run)}" for run in request.stop)
    yield from (f"  pause  {visible(run)}" for run in request.pause)
    yield from (f"  block  {_target(target)}, {request.hours:g} h" for target in request.block)


def _target(target: BlockTarget) -> str:
    return f"{target.kind.value.replace('_', '-')}={visible(target.value)}"


def _print(response: Response, *, json: bool) -> None:
    if json:
        print_json(response)
        return
    state = "undone" if response.undone else "done"
    print_line(f"{response.id}  {state}, by {visible(response.by)} {response.at:%Y-%m-%d %H:%M} UTC")
    for line in _request_lines(response.request):
        print_line(dim(line))
    for problem in response.problems:
        print_line(f"  not done: {visible(problem)}")
    if not response.undone:
        print_line(dim(f"  to undo: pratique respond undo {response.id}"))
