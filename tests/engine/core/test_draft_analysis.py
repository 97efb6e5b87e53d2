"""Input files are analysed with the code: nothing that a draft carries passes unread."""

from __future__ import annotations

from engine.analysis_pool import AnalysisPool
from engine.common.text import Untrusted
from engine.core.submissions.draft_analysis import analyse_draft
from engine.models import Draft, InputFile, Language
from engine.settings import AnalysisSettings


def _draft(*files: tuple[str, bytes]) -> Draft:
    carried = tuple(InputFile(name=Untrusted(name), content=content) for name, content in files)
    return Draft(code=Untrusted("import helper"), language=Language.PYTHON, files=carried)


async def test_a_payload_in_an_input_file_is_found() -> None:
    """The code only imports; the file that it imports does the harm."""
    analysis_pool = AnalysisPool()
    try:
        analysis = await analyse_draft(
            analysis_pool, _draft(("helper.py", b"import os\nos.system('rm -rf /')"))
        )
    finally:
        await analysis_pool.close()
    assert {"py-process", "sh-rm-tree"} <= {violation.rule for violation in analysis.violations}


async def test_code_beyond_the_time_limit_is_high() -> None:
    """Files that nobody had the time to read are violations, and the analysis is incomplete."""
    analysis_pool = AnalysisPool(AnalysisSettings(deadline_seconds=0.05))
    files = [(f"m{number}.py", b"x = [1, 2, (3, 4)]\n" * 20_000) for number in range(4)]
    try:
        await analysis_pool.start()
        analysis = await analyse_draft(analysis_pool, _draft(*files))
    finally:
        await analysis_pool.close()
    told = [violation.message.text for violation in analysis.violations if violation.severity == "high"]
    assert {True} == {any(name in one for one in told) for name, _ in files}
    assert not analysis.complete
