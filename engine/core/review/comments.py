"""Whether what a reviewer asks to change is about lines that there are."""

from __future__ import annotations

from engine.common.errors import Problem
from engine.common.presentation import text_to_review
from engine.common.review_coverage import line_count
from engine.common.text import visible
from engine.models import Case, DecisionOutcome, Draft, LineComment


def require_comments(
    case: Case, outcome: DecisionOutcome, reason: str, comments: tuple[LineComment, ...]
) -> None:
    """Check the comments of a decision.

    Raises:
        Problem: a request for changes says nothing, another decision carries comments, or one is about
            lines that there are not (422).
    """
    asks = outcome is DecisionOutcome.CHANGES_REQUESTED
    if comments and not asks:
        raise Problem(422, "comments on lines belong to the outcome changes_requested")
    if asks and not comments and not reason.strip():
        raise Problem(422, "nothing says what to change", hint="Write a reason, or comments on lines.")
    for number, comment in enumerate(comments, 1):
        lines = lines_of(case.submission.draft, comment)
        if lines is None:
            raise Problem(422, f"comment {number}: there is no text file {visible(comment.file)[:200]}")
        if comment.last > len(lines):
            raise Problem(422, f"comment {number}: there are {len(lines)} lines, not {comment.last}")


def lines_of(draft: Draft, comment: LineComment) -> list[str] | None:
    """Return the lines of what a comment is about; None where there is no such text."""
    if not comment.file:
        return split_lines(text_to_review(draft).text)
    content = next((file.content for file in draft.files if file.name == comment.file), None)
    try:
        return None if content is None else split_lines(content.decode())
    except UnicodeDecodeError:
        return None


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, as reviewers see them numbered: a line feed alone ends one."""
    return text.split("\n")[: line_count(text)]
