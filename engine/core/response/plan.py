"""What a query leads to: runs that could be stopped, and what could be blocked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.common.text import Untrusted
from engine.core.queue import WorkQueue
from engine.history.api import HistoryReader
from engine.models import Case, Status
from engine.models.response import MOST_RUNS, BlockKind, BlockTarget, ResponsePlan
from engine.policy.blocks import target_values
from engine.principals.identity import token_of

MOST_CASES = 200
"""So many of the newest submissions are read for what they have."""
SHOWN = 20
"""So many values of each kind are offered."""


async def response_plan(read: HistoryReader, queue: WorkQueue, query: str) -> ResponsePlan:
    """Return what could be done about the submissions that match a query."""
    found = await read.summaries(query, limit=MOST_RUNS)
    open_now = {entry.id: entry.case.status for entry in queue}
    cases = [case for summary in found[:MOST_CASES] if (case := await read.case(summary.id))]
    contacted = await read.counts(query, "observed.host")
    return ResponsePlan(
        query=query,
        total=await read.total(query),
        running=tuple(one.id for one in found if open_now.get(one.id) is Status.RUNNING),
        waiting=tuple(one.id for one in found if open_now.get(one.id) in {Status.PENDING, Status.QUEUED}),
        targets=tuple(_targets(cases, contacted.counts)),
        complete=len(found) <= MOST_CASES,
    )


def _targets(cases: Sequence[Case], contacted: dict[str, int]) -> Iterator[BlockTarget]:
    counts: dict[BlockKind, Counter[str]] = {kind: Counter() for kind in BlockKind}
    for case in cases:
        for kind, values in target_values(case.submission, token_of(case.submission.requester)).items():
            counts[kind].update(set(values))
        if case.decision and case.decision.pre_approval:
            counts[BlockKind.PRE_APPROVAL][case.decision.pre_approval] += 1
    counts[BlockKind.HOST] |= Counter(contacted)
    for kind, counter in counts.items():
        for value, _ in counter.most_common(SHOWN):
            yield BlockTarget(kind=kind, value=Untrusted(value))
