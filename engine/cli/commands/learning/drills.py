"""`pratique drills`."""

from __future__ import annotations

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import visible


def drills(json: Json = False) -> None:
    """Print your score of drills: known-bad submissions that never run. Nobody else is told."""
    score = with_client(lambda client: client.policy.drills())
    if json:
        print_json(score)
        return
    for one in score.answers:
        at = one.at.astimezone().strftime("%Y-%m-%d %H:%M")
        print_line(f"{at}  {one.submission}  {one.outcome.value:<9}  {visible(one.what)}")
    print_line(f"{score.caught} caught, {score.missed} missed, {score.rehearsed} rehearsed.")
