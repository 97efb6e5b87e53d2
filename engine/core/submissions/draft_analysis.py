"""The analysis of a whole draft: its code, and input files that are code."""

from __future__ import annotations

import asyncio

from engine.analysis.input_files import (
    CodeFile,
    at_mention,
    check_names,
    code_files,
    merged_analyses,
    unreadable_file,
    without_own_packages,
)
from engine.analysis.packages import check_packages
from engine.analysis_pool import AnalysisPool
from engine.models import Analysis, Draft

_DEADLINES = 2
"""How many deadlines of one analysis all input files have together."""


async def analyse_draft(analysis_pool: AnalysisPool, draft: Draft) -> Analysis:
    """Return the violations and predicted effects of a draft and its input files."""
    own = await analysis_pool.analyse(draft.code.text, draft.language)
    if draft.permissions.packages:
        names = (package.name.text for package in draft.permissions.packages)
        own = merged_analyses([own, check_packages(names, draft.code.text, draft.language)])
    if not draft.files:
        return own
    settings = analysis_pool.settings
    code, files = draft.code.text, [(file.name.text, file.content) for file in draft.files]
    found = await asyncio.to_thread(lambda: list(code_files(code, draft.language, files, settings.max_bytes)))
    parts = [own, check_names((name for name, _ in files), code)]
    until = asyncio.get_running_loop().time() + _DEADLINES * settings.deadline_seconds
    for one in found:
        if isinstance(one, CodeFile):
            parts.append(await _read(analysis_pool, one, code, until))
        else:
            parts.append(unreadable_file(one.name, one.reason, code))
    return without_own_packages(merged_analyses(parts), (name for name, _ in files))


async def _read(analysis_pool: AnalysisPool, file: CodeFile, code: str, until: float) -> Analysis:
    try:
        async with asyncio.timeout_at(until):
            found = await analysis_pool.analyse(file.source, file.language)
    except TimeoutError:
        return unreadable_file(file.name, "the time limit was reached", code) if file.certain else Analysis()
    return at_mention(file, found, code)
