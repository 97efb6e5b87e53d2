"""The sheet of what a run is doing: opened by a person, or by a policy that paused the run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.run.look import LookScreen
from console.run.snapshot_text import look_paragraphs
from console.safety.text import paragraphs
from engine.common.snapshot_lines import process_tree
from engine.common.text import Untrusted
from engine.models.snapshot import KernelSnapshot, OpenDescriptor, RunSnapshot, SnapshotProcess
from tests.console.app.test_screens import running
from tests.console.run.test_effects import EFFECT, FOUND
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, event
from tests.console.support.harness import open_console, press, until

FILE = OpenDescriptor(number=3, name=Untrusted("/workspace/kept.txt"))
PROGRAM = SnapshotProcess(
    pid=2, program=Untrusted("the program"), folder=Untrusted("/workspace"), open=(FILE,)
)
CHILD = SnapshotProcess(pid=7, parent=2, program=Untrusted("/usr/bin/sh"), command=Untrusted("sh -c ls"))
SEEN = RunSnapshot(
    at=1.5,
    paused=True,
    kernel=KernelSnapshot(processes=(CHILD, PROGRAM), last=(EFFECT,)),
    stack=Untrusted('  File "main.py", line 3 in waits'),
    stack_at=1.4,
)
SIZES = ((80, 24), (120, 36), (200, 60))


def engine_with(seen: RunSnapshot | None = SEEN) -> FakeEngine:
    """Return an engine with one run that goes on."""
    engine = FakeEngine(running("s-1"))
    engine.effects_of["s-1"] = FOUND
    if seen is not None:
        engine.looks["s-1"] = seen
    return engine


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_paused_run_shows_what_it_was_doing(size: tuple[int, int]) -> None:
    """Surprises first, then processes with what they have open; the stack is said to be the guest's word."""
    async with open_console(engine_with(), size) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "s-1" in plain(app))
        await press(pilot, "i")
        await until(pilot, lambda: "paused, after 1.5 s" in plain(app))
        shown = plain(app)
        assert shown.index("45.33.32.156") < shown.index("the program") < shown.index("kept.txt")
        assert shown.index("kept.txt") < shown.index("sh -c ls")
        await press(pilot, "G", "end")
        await until(pilot, lambda: "Stack, as the guest says, at 1.4 s" in plain(app))


async def test_a_run_goes_on_or_is_killed_from_the_sheet() -> None:
    """p lets a paused run go on, K kills it."""
    engine = engine_with()
    async with open_console(engine) as (app, pilot):
        await app.push_screen(LookScreen("s-1"))
        await until(pilot, lambda: "paused" in plain(app))
        await pilot.pause(0.5)
        await press(pilot, "p")
        await until(pilot, lambda: [("resume", "s-1")] == engine.run_commands)
        await pilot.pause(0.5)
        await press(pilot, "K")
        await until(pilot, lambda: ("kill", "s-1") in engine.run_commands)


async def test_a_run_that_the_policy_paused_opens_the_sheet() -> None:
    """Only over Run, with the reason; a key that was meant for Run does nothing at first."""
    engine = engine_with()
    happened = event(5, "run.pause", "s-1").model_copy(update={"data": {"why": "1 surprise: [b]x\x1b"}})
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "s-1" in plain(app))
        app.screen._handle(happened)  # type: ignore[attr-defined]
        await until(pilot, lambda: isinstance(app.screen, LookScreen))
        await pilot.press("K")
        await until(pilot, lambda: "paused by the policy: 1 surprise: [b]x␛" in plain(app))
        await pilot.pause(0.6)
        assert [] == engine.run_commands
        await press(pilot, "escape", "1")
        assert not isinstance(app.screen, LookScreen)


async def test_a_run_that_ended_says_so() -> None:
    """The sheet stays, and asks no more."""
    engine = engine_with()
    async with open_console(engine) as (app, pilot):
        await app.push_screen(LookScreen("s-1"))
        await until(pilot, lambda: "the program" in plain(app))
        engine.looks.clear()
        await until(pilot, lambda: "does not run any more" in plain(app))


async def test_what_is_not_observed_is_said() -> None:
    """Without the kernel's word there is the stack, and the reason."""
    seen = SEEN.model_copy(update={"kernel": None, "unobserved": "the engine is not root"})
    async with open_console(engine_with(seen)) as (app, pilot):
        await app.push_screen(LookScreen("s-1"))
        await until(pilot, lambda: "Not observed: the engine is not root" in plain(app))
        assert "main.py" in plain(app)


NUMBERS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)


@given(NUMBERS)
def test_every_process_is_shown_once(numbers: list[tuple[int, int]]) -> None:
    """Whatever the parents are, cycles and strangers included."""
    processes = [SnapshotProcess(pid=pid, parent=up, program=Untrusted("x")) for pid, up in numbers]
    shown = [one.pid for _, one in process_tree(processes)]
    assert sorted({pid for pid, _ in numbers}) == sorted(shown)


@given(st.text(max_size=80))
def test_names_from_the_guest_stay_in_their_place(name: str) -> None:
    """A path, a command or a stack with control characters is visible marks, line by line."""
    words = Untrusted(name.encode(errors="replace").decode())
    file = FILE.model_copy(update={"name": words})
    process = PROGRAM.model_copy(update={"command": words, "folder": words, "open": (file,)})
    kernel = KernelSnapshot(processes=(process,))
    rows = look_paragraphs(SEEN.model_copy(update={"kernel": kernel, "stack": words}), [], words)
    text = paragraphs(*rows).plain
    assert len(rows) == text.count("\n") + 1
    assert "\x1b" not in text
