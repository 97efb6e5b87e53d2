"""What the matcher of pre-approvals calls equivalent does the same in a sandbox."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from random import Random

import pytest
import pytest_asyncio

from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.engine.policy.equivalent_pairs import pairs
from tests.sandboxes import Recorder, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
PAIRS = int(os.environ.get("PRATIQUE_EQUIVALENT_PAIRS", "100"))
"""How many are run; a campaign takes 2000."""
EACH_RUN = 100
RUN_EACH = """
import io, json, os, sys, traceback

def ran(code):
    # Runs a program as a main module in a process of its own; returns what it printed and how it ended.
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"), "utf-8", write_through=True)
        status = b"ended"
        try:
            exec(compile(code, "main.py", "exec", dont_inherit=True), {"__name__": "__main__"})
        except BaseException as error:
            status = type(error).__name__.encode()
        os.write(writing, b"\\0" + status + b"\\0" + ",".join(sorted(os.listdir("."))).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        said = pipe.read()
    return said.decode(), os.waitpid(child, 0)[1]

with open("pairs.json") as file:
    given = json.load(file)
example = ran(given[0][0])
other = [pair for pair in given if ran(pair[0]) != ran(pair[1])]
print(json.dumps({"ran": len(given), "example": example, "other": other}))
"""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes."""
    manager = sandbox_manager(SandboxSettings(pool=0), "test-pairs")
    await manager.start()
    try:
        yield manager
    finally:
        await manager.close()


async def compared(manager: SandboxManager, given: list[tuple[str, str]]) -> dict[str, object]:
    """Run every program of these pairs in one sandbox, each in a process; return what it found."""
    watcher = Recorder()
    manager.keeper = watcher
    files = {"pairs.json": json.dumps(given).encode()}
    async with asyncio.timeout(280):
        await manager.run(job(RUN_EACH, files=files, seconds=240), watcher)
    assert b"" == watcher.stderr
    found: dict[str, object] = json.loads(watcher.stdout)
    return found


@pytest.mark.timeout(3600)
async def test_equivalent_programs_print_the_same_and_end_alike(manager: SandboxManager) -> None:
    """Output, error and files of each pair are the same, in gVisor, with the interpreter that runs code."""
    given = list(pairs(Random(7), PAIRS))  # noqa: S311  the same pairs each time
    for start in range(0, len(given), EACH_RUN):
        batch = given[start : start + EACH_RUN]
        found = await compared(manager, batch)
        assert ([], len(batch)) == (found["other"], found["ran"])


async def test_programs_that_differ_are_told_apart(manager: SandboxManager) -> None:
    """The comparison sees another output, another error, and output before an error."""
    different = [
        ("print(1)", "print(2)"),
        ("1/0", "[][0]"),
        ("print(1); 1/0", "1/0"),
        ("x", "open('y', 'w')"),
    ]
    found = await compared(manager, [*different, ("print(1)", "print( 1 )")])
    assert [list(pair) for pair in different] == found["other"]
    assert ["1\n\0ended\0pairs.json", 0] == found["example"]
