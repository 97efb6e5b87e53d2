"""Which submissions one review covers: those whose code differs in nothing that a run could show."""

from __future__ import annotations

import asyncio

from engine.common.errors import Problem
from engine.core.history.queries import Queries
from engine.core.review.queue_listing import digests_of
from engine.models import Case, ReviewRecord

Key = tuple[str, ...]


class EquivalentReviews:
    """Finds the submission that was on screen when another one is approved with the same review."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries

    async def displayed(self, case: Case, review_record: ReviewRecord | None) -> Case:
        """Return the case that a record is about: the case itself, or the equivalent one that it names.

        Raises:
            Problem: there is no such submission (404), or it is not equivalent (422).
        """
        if review_record is None or not review_record.equivalent_to:
            return case
        other = await self._queries.case(review_record.equivalent_to)
        if await asyncio.to_thread(equivalence_key, case) != await asyncio.to_thread(equivalence_key, other):
            what = f"{case.submission.id} is not equivalent to {other.submission.id}"
            raise Problem(422, what, hint="Review it by itself.")
        return other


def equivalence_key(case: Case) -> Key:
    """Return what is equal for submissions that one review covers.

    The same bytes or, for Python that is proven harmless, the same structure; the same request, purpose, risk
    and violations.
    """
    found = sorted(f"{each.rule} {each.severity}" for each in case.analysis.violations)
    return digests_of(case)[0], case.submission.draft.purpose.text, case.assessment.risk, *found
