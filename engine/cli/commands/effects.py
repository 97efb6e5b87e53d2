"""`pratique effects`."""

from __future__ import annotations

from engine.cli.client_context import with_client
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.formatting import print_json, print_line
from engine.common.effect_lines import effect_line, match_line, status_line


def effects(id: SubmissionId, json: Json = False) -> None:
    """Show what a run did, beside what was predicted and granted."""
    found = with_client(lambda client: client.effects(id))
    if json:
        print_json(found)
        return
    print_line(status_line(found))
    for match in found.matches:
        print_line(match_line(match))
    for effect in found.effects:
        if not effect.routine:
            print_line(effect_line(effect))
