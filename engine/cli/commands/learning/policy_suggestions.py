"""`pratique policy suggest | adopt`."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from engine import locations
from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.cli.output.history_export import save
from engine.common.errors import Problem
from engine.common.text import many, visible
from engine.models.past_decisions import PolicySuggestion

Rule = Annotated[str, typer.Argument(help="ID of a suggested rule, as shown by `pratique policy suggest`.")]


def suggest(
    rule: Annotated[str, typer.Argument(help="ID of a suggested rule; default: all of them.")] = "",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the rule to this file, for `pratique policy diff`."),
    ] = None,
    json: Json = False,
) -> None:
    """Suggest rules: what people approved every time, and what each rule would have changed."""
    found = with_client(lambda client: client.policy.suggestions())
    found = tuple(one for one in found if not rule or one.id == rule)
    if rule and not found:
        raise Problem(404, f"{visible(rule)[:60]} is not suggested", hint="Type: pratique policy suggest")
    if output:
        _write(output, found)
    elif json:
        print_json(found)
    else:
        _print(found)


def adopt(rule: Rule, json: Json = False) -> None:
    """Put a suggested rule into force, signed with your key."""
    adopted = with_client(lambda client: client.policy.adopt(rule))
    file = visible(str(locations.adopted_policy()))
    print_json(adopted) if json else print_line(f"{visible(adopted.rule)} is in force. It is in {file}")


def _print(found: tuple[PolicySuggestion, ...]) -> None:
    for one in found:
        print_line(visible(one.words))
        named = ", ".join(one.changed[:3]) + ("..." if one.changes > 3 else "")
        print_line(dim(f"  {many(one.changes, 'past submission')} would not have waited: {named}"))
        for line in one.yaml.splitlines():
            print_line(dim(f"  {visible(line)}"))
        print_line(f"  pratique policy adopt {visible(one.id)}")
    if not found:
        print_line("No suggestions: nothing of one kind was approved ten times, and never denied.")


def _write(output: Path, found: tuple[PolicySuggestion, ...]) -> None:
    """Write one suggestion as a policy file that includes the user's own policy, if there is one."""
    if len(found) != 1:
        raise Problem(422, "one rule is written to a file", hint="Name it, as in: suggest RULE -o FILE")
    own = locations.policy_file()
    include = f"include: {dumps(str(own))}\n" if own.exists() else ""
    save(output, [(include + found[0].yaml).encode()])
    print_line(f"Now type: pratique policy diff {visible(str(output))}")
