"""Many pieces of code analysed at once, answered in the order in which they came."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.analysis.limits import CRASHED, unfinished
from engine.analysis_pool import AnalysisPool
from engine.models import Analysis, Language
from engine.settings import AnalysisSettings


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of code, by the name that its sender gave it."""

    id: object
    language: Language
    source: str | bytes
    problem: str = ""
    """Why there is no code to analyse."""


async def analyse_all(
    items: Iterator[Item], settings: AnalysisSettings, take: Callable[[Item, Analysis], None]
) -> None:
    """Analyse every item in worker processes and hand each to `take`, in order."""
    workers = os.cpu_count() or 1
    analyst = AnalysisPool(settings, workers=workers)
    pending: deque[tuple[Item, asyncio.Task[Analysis]]] = deque()
    try:
        async with asyncio.TaskGroup() as group:
            for item in items:
                pending.append((item, group.create_task(_analysed(analyst, item))))
                if len(pending) >= workers * 4:
                    await _take_first(pending, take)
            while pending:
                await _take_first(pending, take)
    finally:
        await analyst.close()


async def _take_first(
    pending: deque[tuple[Item, asyncio.Task[Analysis]]], take: Callable[[Item, Analysis], None]
) -> None:
    item, task = pending.popleft()
    take(item, await task)


async def _analysed(analyst: AnalysisPool, item: Item) -> Analysis:
    if item.problem:
        return unfinished(CRASHED, item.problem)
    return await analyst.analyse(item.source, item.language)
