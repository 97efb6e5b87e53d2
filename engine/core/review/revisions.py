"""Revisions: submissions that take the place of earlier ones, what they change, and what they answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from engine.common.errors import Problem
from engine.common.presentation import text_to_review
from engine.common.review_coverage import LineRange, line_ranges
from engine.common.text import Untrusted
from engine.core.history.queries import Queries
from engine.core.review.comments import lines_of, split_lines
from engine.models import (
    NOT_RUN,
    AnsweredComment,
    Case,
    Draft,
    FileChange,
    FileDifference,
    LineComment,
    Principal,
    ReviewRecord,
    Revision,
    ThreadEntry,
)
from engine.policy.comparison.differences import matching_lines, unified_diff

MOST_COMPARED = 2 << 20
"""Bytes of a text that are compared line by line; a larger one only as a whole."""
MOST_THREAD = 50
CODE = Untrusted("")


class Revisions:
    """Checks that a draft revises what is its requester's own, and compares it with that."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries

    async def check(self, draft: Draft, requester: Principal) -> None:
        """Check what a draft says it revises.

        Raises:
            Problem: it is not its requester's (404), still open or approved (409), or the draft replies to
                comments that there are not (422).
        """
        if not draft.revises:
            if draft.replies:
                raise Problem(
                    422, "replies belong to a submission that revises another", hint="Name revises."
                )
            return
        earlier = await self._own(draft.revises, requester)
        if earlier.status not in NOT_RUN or earlier.decision is None:
            raise Problem(409, f"{draft.revises} cannot be revised: it is {earlier.status}")
        numbers = [reply.comment for reply in draft.replies]
        if len(set(numbers)) != len(numbers) or max(numbers, default=0) > len(earlier.decision.comments):
            raise Problem(422, f"a reply is to one of the {len(earlier.decision.comments)} comments, once")

    async def revision(self, id: str, by: Principal) -> Revision:
        """Return what a submission changes in the one that it revises, and what `by` had read of that.

        Raises:
            Problem: there is none of that id, or it revises nothing (404).
        """
        case = await self._queries.case(id)
        if not case.submission.draft.revises:
            raise Problem(404, f"{id} revises no other submission")
        earlier = await self._queries.case(case.submission.draft.revises)
        return await asyncio.to_thread(revision_of, earlier, case, by)

    async def thread(self, id: str) -> tuple[ThreadEntry, ...]:
        """Return a submission and those that it revises, the first first. Raises Problem: there is none."""
        found: list[ThreadEntry] = []
        while id and len(found) < MOST_THREAD:
            case = await self._queries.case(id)
            found.append(_thread_entry(case))
            id = case.submission.draft.revises
        return tuple(reversed(found))

    async def _own(self, id: str, requester: Principal) -> Case:
        try:
            case = await self._queries.case(id)
        except Problem:
            case = None
        if case is None or not case.submission.requester.is_same(requester):
            raise Problem(404, f"you have no submission {id} to revise")
        return case


def revision_of(earlier: Case, later: Case, by: Principal) -> Revision:
    """Return what `later` changes in `earlier`. Pure."""
    before, after = earlier.submission.draft, later.submission.draft
    return Revision(
        revises=earlier.submission.id,
        files=tuple(_differences(before, after)),
        comments=tuple(_answers(earlier, after)),
        carried=_carried(earlier, after, by),
    )


def _differences(before: Draft, after: Draft) -> Iterator[FileDifference]:
    old, new = _contents(before), _contents(after)
    for name in dict.fromkeys((*new, *old)):
        change = _change(old.get(name), new.get(name))
        diff = _diff(old.get(name, b""), new.get(name, b"")) if change is not FileChange.UNCHANGED else ""
        yield FileDifference(file=name, change=change, diff=Untrusted(diff))


def _contents(draft: Draft) -> dict[Untrusted, bytes]:
    return {CODE: text_to_review(draft).text.encode(), **{file.name: file.content for file in draft.files}}


def _change(old: bytes | None, new: bytes | None) -> FileChange:
    if old == new:
        return FileChange.UNCHANGED
    if old is None:
        return FileChange.ADDED
    return FileChange.REMOVED if new is None else FileChange.CHANGED


def _diff(old: bytes, new: bytes) -> str:
    if max(len(old), len(new)) > MOST_COMPARED:
        return ""
    try:
        return unified_diff(split_lines(old.decode()), split_lines(new.decode()))
    except UnicodeDecodeError:
        return ""


def _answers(earlier: Case, after: Draft) -> Iterator[AnsweredComment]:
    decision = earlier.decision
    replies = {reply.comment: reply.text for reply in after.replies}
    if decision and decision.reason:
        yield AnsweredComment(number=0, text=decision.reason, reply=replies.get(0))
    for number, comment in enumerate(decision.comments if decision else (), 1):
        yield AnsweredComment(
            number=number,
            text=comment.text,
            comment=comment,
            reply=replies.get(number),
            lines_changed=_lines_changed(earlier.submission.draft, after, comment),
        )


def _lines_changed(before: Draft, after: Draft, comment: LineComment) -> bool:
    old, new = lines_of(before, comment), lines_of(after, comment)
    if old is None or new is None or old == new:
        return new is None
    kept = {i + 1 for i, _ in matching_lines(old, new)}
    return any(line not in kept for line in range(comment.first, comment.last + 1))


def _carried(earlier: Case, after: Draft, by: Principal) -> ReviewRecord | None:
    """Return what of a reviewer's own record of the earlier submission still holds: never another's.

    A record that names an equivalent submission counts the lines of that one, not of this.
    """
    decision, before = earlier.decision, earlier.submission.draft
    record = decision.review_record if decision and decision.by.is_same(by) else None
    if record is None or record.equivalent_to:
        return None
    files = [number for number, file in enumerate(after.files) for read in record.files
             if read < len(before.files) and before.files[read] == file]  # fmt: skip
    return ReviewRecord(
        seconds=record.seconds,
        lines=_carried_lines(record.lines, text_to_review(before).text, text_to_review(after).text),
        files=tuple(files),
        purpose=record.purpose and before.purpose == after.purpose,
        shown_by=record.shown_by,
        carried_from=earlier.submission.id,
    )


def _carried_lines(read: tuple[LineRange, ...], before: str, after: str) -> tuple[LineRange, ...]:
    old, new = split_lines(before), split_lines(after)
    seen = {line for first, last in read for line in range(first, min(last, len(old)) + 1)}
    return line_ranges(j + 1 for i, j in matching_lines(old, new) if i + 1 in seen)


def _thread_entry(case: Case) -> ThreadEntry:
    submission = case.submission
    return ThreadEntry(
        id=submission.id,
        at=submission.submitted_at,
        status=case.status,
        purpose=submission.draft.purpose,
        replies=submission.draft.replies,
        decision=case.decision,
    )
