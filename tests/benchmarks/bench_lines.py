"""What marking lines costs: the same programs with and without it, in turn."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator

from engine.models import Language
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.benchmarks.bench_effects import alternate, compared
from tests.benchmarks.row import Row
from tests.sandboxes import IMAGES, sandbox_manager

_ROUNDS = 9
_PYTHON = """
def collatz(number):
    steps = 0
    while number != 1:
        if number % 2:
            number = 3 * number + 1
        else:
            number //= 2
        steps += 1
    return steps

longest = max(range(1, 90_000), key=collatz)
print(longest)
"""
_JAVASCRIPT = """
function collatz(number) {
    let steps = 0
    while (number !== 1) {
        number = number % 2 ? 3 * number + 1 : number / 2
        steps++
    }
    return steps
}
let longest = 0, at = 0
for (let number = 1; number < 3_000_000; number++) {
    const steps = collatz(number)
    if (steps > longest) { longest = steps; at = number }
}
console.log(at)
"""
_BUILT_IN = "n=0\nwhile [ $n -lt 30000 ]; do\n  n=$((n + 1))\ndone\necho $n\n"
_PROGRAMS = "for n in 1 2 3 4 5 6 7 8 9 10; do\n  seq 20000 | sort -n | tail -1\ndone\n"


async def rows() -> list[Row]:
    """Measure programs that compute, in each language, and a shell script of built-in commands."""
    async with _manager(marks=True) as marked, _manager(marks=False) as plain:
        pair = (marked, plain)
        python = await alternate(pair, _PYTHON, _ROUNDS)
        node = await alternate(pair, _JAVASCRIPT, _ROUNDS, language=Language.JAVASCRIPT)
        programs = await alternate(pair, _PROGRAMS, _ROUNDS, language=Language.SHELL)
        built_in = await alternate(pair, _BUILT_IN, 5, language=Language.SHELL)
    return [
        compared("python that computes, lines marked", python, "at most 1.05x", most=1.05),
        compared("javascript that computes, lines marked", node, "at most 1.05x", most=1.05),
        compared("shell that calls programs, lines marked", programs, "at most 1.2x", most=1.2),
        compared("shell of built-in commands, lines marked (opt-in)", built_in, "told", most=1e9),
    ]


@contextlib.asynccontextmanager
async def _manager(*, marks: bool) -> AsyncIterator[SandboxManager]:
    languages = tuple(Language) if marks else ()
    settings = SandboxSettings(pool=1, line_marks=languages)
    manager = sandbox_manager(settings, f"bench-lines-{marks}-{os.getpid()}")
    await manager.start()
    try:
        await manager.warm(list(IMAGES.items()))
        yield manager
    finally:
        await manager.close()


if __name__ == "__main__":
    for one in asyncio.run(rows()):
        print(one)  # noqa: T201  it is a command
