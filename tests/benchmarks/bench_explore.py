"""Explore on a real pty: from the key that runs one's own code to the first output on screen."""

from __future__ import annotations

import asyncio
import time

from engine.models import Language
from tests.benchmarks.bench_console import engine_of
from tests.benchmarks.pty_console import PtyConsole, console
from tests.benchmarks.row import Row, percentiles
from tests.engine_process import EngineProcess

ROUNDS = 30
SETTLE_SECONDS = 0.6
SELECT_ALL, RUN, NEXT_LANGUAGE = b"\x1b[18~", b"\x12", b"\x0c"
PRINTS = {
    Language.PYTHON: "print('zz' + 'py{0}')",
    Language.JAVASCRIPT: "console.log('zz' + 'js{0}')",
    Language.SHELL: "printf 'zz%s' 'sh{0}'",
}
SIGNS = {Language.PYTHON: "py", Language.JAVASCRIPT: "js", Language.SHELL: "sh"}
ASKED = {Language.PYTHON: 60, Language.JAVASCRIPT: 80, Language.SHELL: 60}


async def rows() -> list[Row]:
    """Run all measurements."""
    async with engine_of() as (engine, _):
        return await asyncio.to_thread(_by_language, engine)


def _by_language(engine: EngineProcess) -> list[Row]:
    found = []
    with console(engine.home) as explore:
        explore.see(b"Review")
        explore.press(b"3")
        explore.see(b"ctrl+r")
        for language in Language:
            times = [_run(explore, language, number) for number in range(ROUNDS + 1)][1:]
            p50, p95, p99 = percentiles(times)
            asked = ASKED[language]
            name = f"Explore: ctrl+r to output, {language.value}"
            limit = f"p50 {asked} ms, p95 150 ms"
            found.append(Row(name, p50, p95, p99, "ms", None, None, limit, p50 <= asked and p95 <= 150))
            explore.press(NEXT_LANGUAGE)
    return found


def _run(explore: PtyConsole, language: Language, number: int) -> float:
    """Return the milliseconds from the key to the output of a program that was just typed."""
    code = PRINTS[language].format(number)
    explore.press(SELECT_ALL)
    explore.press(b"\x1b[200~" + code.encode() + b"\x1b[201~")
    time.sleep(SETTLE_SECONDS)
    return explore.until_painted(RUN, f"zz{SIGNS[language]}{number}".encode())
