"""The analysis of a whole draft: its code, and input files that are code."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from engine.analysis.input_files import (
    CodeFile,
    at_mention,
    check_names,
    code_files,
    merged_analyses,
    unreadable_file,
    without_own_packages,
)
from engine.analysis_pool import AnalysisPool
from engine.core.submissions.verdict import verdict_of_draft
from engine.models import Analysis, Draft

_DEADLINES = 2
"""How many deadlines of one analysis all input files have together."""


async def analyse_draft(analysis_pool: AnalysisPool, draft: Draft, requester: str = "") -> Analysis:
    """Return the violations, predicted effects and verdict of a draft and its input files."""
    return verdict_of_draft(draft, await _analyse_parts(analysis_pool, draft, requester))


async def _analyse_parts(analysis_pool: AnalysisPool, draft: Draft, requester: str) -> Analysis:
    names = [file.name.text for file in draft.files]
    own = await analysis_pool.analyse(draft.code.text, draft.language, requester, inputs=names)
    if draft.permissions.packages:
        from engine.analysis.packages import check_packages  # noqa: PLC0415  it loads rules of languages

        packages = (package.name.text for package in draft.permissions.packages)
        own = merged_analyses([own, check_packages(packages, draft.code.text, draft.language)])
    if not draft.files:
        return own
    settings = analysis_pool.settings
    code, files = draft.code.text, [(file.name.text, file.content) for file in draft.files]
    found = await asyncio.to_thread(lambda: list(code_files(code, draft.language, files, settings.max_bytes)))
    parts = [own, check_names((name for name, _ in files), code)]
    parts += [unreadable_file(one.name, one.reason, code) for one in found if not isinstance(one, CodeFile)]
    readable = [one for one in found if isinstance(one, CodeFile)]
    parts += await _read_all(analysis_pool, readable, code, requester)
    return without_own_packages(merged_analyses(parts), (name for name, _ in files))


async def _read_all(
    analysis_pool: AnalysisPool, files: Iterable[CodeFile], code: str, requester: str
) -> list[Analysis]:
    """Analyse files until their time is used up; waiting for a worker takes none of it."""
    parts, left = [], _DEADLINES * analysis_pool.settings.deadline_seconds
    for file in files:
        if left > 0:
            found = await analysis_pool.analyse(file.source, file.language, requester)
            left -= found.seconds
            parts.append(at_mention(file, found, code))
        elif file.certain:
            parts.append(unreadable_file(file.name, "the time limit was reached", code))
    return parts
