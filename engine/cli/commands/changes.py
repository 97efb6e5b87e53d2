"""`pratique request-changes`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

import typer
from pydantic import ValidationError

from engine.cli.client_context import with_client
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.formatting import decided_line, print_comments, print_json, print_line
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.models import Case, DecisionOutcome, LineComment

_COMMENT = re.compile(
    r"(?:(?P<file>[^\n]*?):)?(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?:(?P<text>.*)", re.DOTALL
)
FORM = "Write LINE:TEXT, FIRST-LAST:TEXT or FILE:LINE:TEXT"


def request_changes(
    id: SubmissionId,
    digest: Annotated[str, typer.Option(help="Digest of the reviewed submission, at least 8 characters.")],
    reason: Annotated[str, typer.Option("--reason", "-m", help="General comment, for the agent.")] = "",
    comment: Annotated[
        list[str] | None,
        typer.Option("--comment", "-c", help="Comment on lines: 12:TEXT, 3-5:TEXT, data.csv:2:TEXT."),
    ] = None,
    json: Json = False,
) -> None:
    """Send a submission back to its agent with comments; its next submission may revise it."""
    comments = parse_comments(comment or ())

    async def decide(client: Client) -> Case:
        shown = (await client.case(id)).submission.digest
        if len(digest) < 8 or not shown.startswith(digest):
            raise Problem(
                409, f"{visible(id)} does not have this digest", hint=f"Type: pratique show {visible(id)}"
            )
        return await client.decide(id, DecisionOutcome.CHANGES_REQUESTED, shown, reason, comments=comments)

    case = with_client(decide)
    if json:
        print_json(case)
        return
    print_line(f"{visible(id)}: {decided_line(case)}")
    print_comments(comments)


def parse_comments(texts: Iterable[str]) -> tuple[LineComment, ...]:
    """Return the comments that options describe. Raises Problem (422) where one is none."""
    return tuple(_comment(text) for text in texts)


def _comment(text: str) -> LineComment:
    found = _COMMENT.fullmatch(text)
    if found is None:
        raise Problem(422, f"{visible(text)[:200]} is no comment on lines", hint=FORM)
    first = int(found["first"])
    try:
        return LineComment(
            file=Untrusted(found["file"] or ""),
            first=first,
            last=int(found["last"] or first),
            text=Untrusted(found["text"].strip()),
        )
    except ValidationError as error:
        raise Problem(422, visible(f"{text[:200]}: {error.errors()[0]['msg']}"), hint=FORM) from None
