"""The main job as a person does it: the real console in a real terminal, the real engine, real gVisor."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli.samples import SAMPLES
from engine.models import Status
from tests.console.support.tmux import Terminal
from tests.engine_process import POOL, EngineProcess

pytestmark = [pytest.mark.sandbox, pytest.mark.terminal]

UNHURRIED = '{"medium": 900, "high": 900, "critical": 900}'
PRATIQUE = Path(sys.executable).with_name("pratique")
NOSY = next(sample for sample in SAMPLES if sample.file == "nosy.py")
SALES = next(sample for sample in SAMPLES if sample.file == "sales.py")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EngineProcess]:
    """Yield an engine that waits long enough for a slow machine."""
    process = EngineProcess(tmp_path, **{POOL: "1", "PRATIQUE_POLICY__DEADLINES": UNHURRIED})
    process.start()
    yield process
    process.end()


def console(engine: EngineProcess) -> Terminal:
    """Return the console in a terminal."""
    environment = {"PRATIQUE_HOME": str(engine.home), "TERM": "xterm-256color"}
    return Terminal(str(PRATIQUE), environment)


async def test_a_reviewer_denies_the_nosy_one(engine: EngineProcess) -> None:
    """A violation is marked on its very columns; a denial with a reason reaches the history."""
    async with engine.client(NOSY.requester) as agent:
        submission = (await agent.submit(NOSY.draft)).submission
        with console(engine) as terminal:
            terminal.see("code-helper", "os.environ.items()", "gVisor proven")
            assert "os.environ.items()" == underlined(terminal.colours(), "in os.environ")
            terminal.press_until("d", "sent to the agent")
            terminal.type(*spelled("needs no environment"))
            terminal.see("needs no environment")
            terminal.press_until("Enter", "Denying")
            terminal.see("Queue is empty")
            terminal.type("4")
            terminal.see("History", "denied", "code-helper")
        case = await agent.case(submission.id)
        assert case.decision is not None
        assert (Status.DENIED, "needs no environment") == (case.status, case.decision.reason.text)


async def test_a_reviewer_approves_the_sales_and_sees_them_run(engine: EngineProcess) -> None:
    """What was approved runs in gVisor; its output, its end and its peak memory are seen, and kept."""
    async with engine.client(SALES.requester) as agent:
        submission = (await agent.submit(SALES.draft)).submission
        with console(engine) as terminal:
            terminal.see("report-writer", "sales.groupby", "next unread: 7 lines from 11, 1 input file")
            terminal.type("Space")
            terminal.see("savefig", "next unread: 1 input file")
            terminal.press_until("v", "1 of 1")
            terminal.see("all read")
            terminal.press_until("Escape", "ctrl+y approve")
            assert submission.digest in terminal.press_until(
                "C-y", "All requested permissions will be granted"
            )
            terminal.press_until("C-y", "Approving")
            await over(engine, submission.id)
            terminal.type("2")
            terminal.see("north", "111788.9")
            terminal.type("4")
            terminal.see("exit 0", "MiB", "report-writer")
        case = await agent.case(submission.id)
        assert case.result is not None
        assert (Status.FINISHED, 0) == (case.status, case.result.exit_code)
        assert case.result.memory_peak > 20 << 20


async def over(engine: EngineProcess, id: str) -> None:
    """Wait until a run has ended."""
    async with engine.client() as client, asyncio.timeout(60):
        async for event in client.events(0):
            if event.type == "run.ended" and event.subject == id:
                return


async def test_a_console_that_dies_takes_no_run_with_it(engine: EngineProcess) -> None:
    """`kill -9` of the console leaves the engine, and what waits still waits."""
    async with engine.client("agent") as agent:
        submission = (await agent.submit(NOSY.draft)).submission
        with console(engine) as terminal:
            terminal.see("os.environ")
            os.kill(terminal.process(), signal.SIGKILL)
        assert Status.PENDING is (await agent.case(submission.id)).status


HOSTILE = "print('\\x1b')  # \x1b]52;c;UFdO\x07\x1b]0;OWNED\x07\x1b[2J\x1b[1;1H\x9b31m \u202e[/]"


async def test_escape_sequences_in_code_and_output_reach_no_terminal(engine: EngineProcess) -> None:
    """Code and output full of escape sequences set no clipboard and no title, and are seen as marks."""
    draft = NOSY.draft.model_copy(
        update={"code": type(NOSY.draft.code)(f"{HOSTILE}\nprint({HOSTILE!r})\n"), "files": ()}
    )
    async with engine.client(f"agent {HOSTILE}") as agent:
        submission = (await agent.submit(draft)).submission
        with console(engine) as terminal:
            terminal.see("␛]52;c;UFdO␇", "⟨202E⟩")
            terminal.press_until("a", "ctrl+y approve")
            terminal.press_until("C-y", submission.digest)
            terminal.press_until("C-y", "Approving")
            await over(engine, submission.id)
            terminal.type("2")
            terminal.see("Pratique", "⟨202E⟩")
            assert "OWNED" not in terminal.title()
            assert "PWN" not in terminal.clipboard()


async def test_nothing_is_approved_by_plain_keys(engine: EngineProcess) -> None:
    """Every printable key, one after the other and in a burst, approves nothing."""
    async with engine.client("agent") as agent:
        submission = (await agent.submit(NOSY.draft)).submission
        with console(engine) as terminal:
            terminal.see("os.environ")
            for code in range(0x21, 0x7F):
                if chr(code) not in "d;3":
                    terminal.type(chr(code))
            terminal.see("Pratique")
        assert Status.PENDING is (await agent.case(submission.id)).status


def underlined(colours: str, beside: str) -> str:
    """Return the underlined text of the screen line that holds `beside`."""
    for line in colours.split("\n"):
        if beside in re.sub(r"\x1b\[[0-9;]*m", "", line):
            marked = re.search(r"\x1b\[(?:1;)?4m(.*?)\x1b\[0m", line)
            return re.sub(r"\x1b\[[0-9;]*m", "", marked[1]) if marked else ""
    return ""


def spelled(text: str) -> list[str]:
    """Return the keys that write `text`."""
    return ["Space" if char == " " else char for char in text]
