"""Analyze many pieces of code in parallel, with results in the order of the input."""

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
    """One piece of code with the caller's ID."""

    id: object
    language: Language
    source: str | bytes
    problem: str = ""
    """Why the code could not be read."""


async def analyse_all(
    items: Iterator[Item], settings: AnalysisSettings, on_result: Callable[[Item, Analysis], None]
) -> None:
    """Analyze every item in worker processes and pass each result to `on_result`, in order."""
    workers = os.cpu_count() or 1
    pool = AnalysisPool(settings, workers=workers)
    pending: deque[tuple[Item, asyncio.Task[Analysis]]] = deque()
    try:
        async with asyncio.TaskGroup() as group:
            for item in items:
                pending.append((item, group.create_task(_analysed(pool, item))))
                if len(pending) >= workers * 4:
                    await _next_result(pending, on_result)
            while pending:
                await _next_result(pending, on_result)
    finally:
        await pool.close()


async def _next_result(
    pending: deque[tuple[Item, asyncio.Task[Analysis]]], on_result: Callable[[Item, Analysis], None]
) -> None:
    item, task = pending.popleft()
    on_result(item, await task)


async def _analysed(pool: AnalysisPool, item: Item) -> Analysis:
    if item.problem:
        return unfinished(CRASHED, item.problem)
    return await pool.analyse(item.source, item.language)
