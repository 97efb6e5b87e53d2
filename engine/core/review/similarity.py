"""The approved submission that is most similar to another one."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from typing import Protocol

from engine.common.presentation import text_to_review
from engine.models import Case, SimilarSubmission, Summary
from engine.policy.comparison.similarity import Sketch, similarity, sketch

COMPARED = 100
"""With how many approved submissions, the latest, another one is compared."""
ALIKE = 0.3
"""What has less in common is not offered."""
KEPT = 1000


class CaseSource(Protocol):
    """Where earlier submissions are found."""

    async def history(self, filter: str, before: str | None, limit: int) -> tuple[Summary, ...]:
        """Return submissions that match `filter`, the newest first."""

    async def case(self, id: str) -> Case:
        """Return everything known about a submission. Raises Problem where there is none."""


class SimilarSubmissions:
    """Compares a submission with those approved before it, of the same language."""

    def __init__(self, cases: CaseSource) -> None:
        self._cases = cases
        self._sketches: OrderedDict[str, Sketch] = OrderedDict()

    async def nearest(self, id: str) -> SimilarSubmission | None:
        """Return the approved submission that is most like this one; None where none is like it.

        Raises:
            Problem: there is no submission of that id.
        """
        case = await self._cases.case(id)
        own = await self._sketch(case)
        filter = f"decision:approved lang:{case.submission.draft.language.value}"
        approved = await self._cases.history(filter, None, COMPARED)
        found = [await self._compared(own, one.id) for one in approved if one.id != id]
        return _best(found)

    async def _compared(self, own: Sketch, id: str) -> SimilarSubmission:
        if id not in self._sketches:
            return SimilarSubmission(
                id=id, similarity=similarity(own, await self._sketch(await self._cases.case(id)))
            )
        return SimilarSubmission(id=id, similarity=similarity(own, self._sketches[id]))

    async def _sketch(self, case: Case) -> Sketch:
        id = case.submission.id
        if id not in self._sketches:
            self._sketches[id] = await asyncio.to_thread(_of, case)
            if len(self._sketches) > KEPT:
                self._sketches.popitem(last=False)
        return self._sketches[id]


def _of(case: Case) -> Sketch:
    """Return the sketch of a case's code: by its words alone where the analysis could not read it either."""
    draft = case.submission.draft
    return sketch(text_to_review(draft).text, draft.language if case.analysis.complete else None)


def _best(found: Iterable[SimilarSubmission]) -> SimilarSubmission | None:
    """Return the likest, of equals the latest."""
    best = max(found, key=lambda one: one.similarity, default=None)
    return best if best is not None and best.similarity >= ALIKE else None
