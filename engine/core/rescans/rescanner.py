"""Rescans one submission after the other at a bounded share of a core."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from typing import NamedTuple

from engine.analysis_pool import AnalysisPool
from engine.core.config.policy_store import PolicyStore
from engine.core.rescans.comparison import outcome, rules
from engine.core.rescans.patience import Patience
from engine.core.submissions.draft_analysis import analyse_draft
from engine.history.api import HistoryReader
from engine.models import Analysis, Draft, Level, Summary
from engine.models.rescan import RescanOutcome
from engine.policy.risk import assess

PAGE = 40
"""So many submissions are read at once."""
KEPT = 2000
"""Analyses of the same code that are kept."""
LONGEST_PAUSE = 5.0
NAME = "rescan"
"""In whose name it analyses: requesters have their own places in the pool."""


class Rescanned(NamedTuple):
    """One submission, and what is said of it today; no outcome where it has no code."""

    id: str
    outcome: RescanOutcome | None
    risk: Level
    was: Level
    new_rules: tuple[str, ...] = ()
    known: bool = False
    """Whether an earlier rescan found something about it."""


class Rescanner:
    """Reads submissions from the newest to the oldest, and says what today's analysis and policy say."""

    def __init__(
        self,
        read: HistoryReader,
        pool: AnalysisPool,
        policy: PolicyStore,
        weaker_runtime: Callable[[], bool],
        patience: Patience,
    ) -> None:
        self._read = read
        self._pool = pool
        self._policy = policy
        self._weaker_runtime = weaker_runtime
        self._patience = patience
        self._kept: OrderedDict[tuple[str, str], Analysis] = OrderedDict()

    async def rescan(self, query: str, after: str, share: float) -> AsyncGenerator[Rescanned, None]:
        """Yield each submission that matches, those after the ID `after`; rest so that `share` holds."""
        last = after or None
        while page := await self._read.summaries(query, last, PAGE):
            known = await self._found_before(page)
            for summary in page:
                await self._patience.wait()
                began = time.monotonic()
                yield await self._rescanned(summary, known=summary.id in known)
                await _rest(time.monotonic() - began, share)
            last = page[-1].id

    async def _found_before(self, page: tuple[Summary, ...]) -> frozenset[str]:
        ids = ",".join(summary.id for summary in page)
        return frozenset(one.id for one in await self._read.summaries(f"id:{ids} rescan:*", None, PAGE))

    async def _rescanned(self, summary: Summary, *, known: bool) -> Rescanned:
        case = await self._read.case(summary.id)
        if case is None or not case.submission.draft.code.text:
            return Rescanned(summary.id, None, summary.risk, summary.risk)
        draft = case.submission.draft
        analysis = await self._analysis(draft)
        now = assess(draft, analysis, self._policy.current, weaker_runtime=self._weaker_runtime())
        new = tuple(sorted(rules(analysis) - rules(case.analysis)))
        return Rescanned(summary.id, outcome(case, analysis, now), now.risk, case.assessment.risk, new, known)

    async def _analysis(self, draft: Draft) -> Analysis:
        """Analyse a draft; code alone is analysed once however often it was submitted."""
        if draft.files or draft.permissions.packages:
            return await analyse_draft(self._pool, draft, NAME)
        key = (draft.language.value, draft.code.text)
        if key not in self._kept:
            self._kept[key] = await analyse_draft(self._pool, draft, NAME)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]


async def _rest(worked: float, share: float) -> None:
    """Rest so long that work is at most a share of the time; always let others go on."""
    await asyncio.sleep(min(LONGEST_PAUSE, worked * (1 - share) / share))
