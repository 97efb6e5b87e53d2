"""Screens at three sizes, as text: what changes on screen is seen in the change that made it.

The stored frames lie in `frames/`, a file for each screen and size. Where a screen was meant to change,
`make frames` writes them anew; look at the difference before you commit it. Another screen is one line more.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from console.app.app import ConsoleApp
from engine.common.text import Untrusted
from engine.models import Analysis, Check, Level, Status, Stream
from engine.models.observed import (
    Basis,
    EffectMatch,
    Observation,
    ObservationStatus,
    ObservedEffect,
    ObservedKind,
    Relation,
    RunEffects,
)
from tests.console.app.test_screens import killed, running
from tests.console.safety.test_hostile_frames import OURS, Open, back, keys, paste, tried, welcome
from tests.console.support.fake_engine import FakeEngine, case, chunk, result, span, violation
from tests.console.support.harness import frame, open_console, until

FOLDER = Path(__file__).parent / "frames"
RENEW = "PRATIQUE_TESTS_RENEW_FRAMES"
SIZES = ((80, 24), (120, 36), (200, 60))


async def welcome_over_health(app: ConsoleApp, pilot: Pilot[Any]) -> None:
    """Show the welcome screen over a screen that says little."""
    await keys("5")(app, pilot)
    await welcome(app, pilot)


DRAWN: dict[str, tuple[str, Open]] = {
    "review": ("ReviewScreen", keys("1")),
    "review-help": ("HelpScreen", keys("1", "question_mark")),
    "run": ("RunScreen", keys("2")),
    "history": ("HistoryScreen", keys("4")),
    "case": ("CaseScreen", keys("4", "enter")),
    "effects": ("EffectsScreen", keys("4", "enter", "f")),
    "explore": ("ExploreScreen", paste),
    "ask": ("RequestFormScreen", keys("3", "ctrl+n")),
    "tried": ("SnippetsScreen", tried),
    "health": ("HealthScreen", keys("5")),
    "health-help": ("HelpScreen", keys("5", "question_mark")),
    "health-jump": ("JumpScreen", keys("5", "ctrl+g")),
    "welcome": ("WelcomeScreen", welcome_over_health),
}
CODE = """import os
import statistics

heights = [1.62, 1.75, 1.81, 1.69]
print(statistics.mean(heights))
print(os.environ["HOME"])
"""


def _match(relation: Relation, kind: str, value: str, *lines: int, **more: Any) -> EffectMatch:
    return EffectMatch(relation=relation, kind=kind, value=Untrusted(value), lines=lines, **more)


PASSWD = ObservedEffect(
    number=1, kind=ObservedKind.READ, target=Untrusted("/etc/passwd"), process=Untrusted("/usr/bin/id"),
    first=0.25, basis=Basis.KERNEL,
)  # fmt: skip
UNLINK = ObservedEffect(
    number=2, kind=ObservedKind.DELETE, target=Untrusted(""), process=Untrusted("the program"), first=0.5,
    detail=Untrusted("unlink"), basis=Basis.COUNTED, count=2, refused=1, error="EROFS",
)  # fmt: skip
EFFECTS = RunEffects(
    observation=Observation(status=ObservationStatus.COMPLETE, events=90),
    effects=(PASSWD, UNLINK),
    matches=(
        _match(Relation.UNPREDICTED, "read", "/etc/passwd", number=1, severity=Level.MEDIUM,
               reason="it tells about the machine and its users"),
        _match(Relation.BEYOND, "host", "collect.example:443", 7, severity=Level.LOW,
               reason="the proxy refused it: it was not granted"),
        _match(Relation.TARGET_UNKNOWN, "delete", "(unlink)", 9, number=2, severity=Level.LOW),
        _match(Relation.PREDICTED, "read", "/workspace/sales.csv", 3),
        _match(Relation.NOT_OBSERVED, "write", "errors.log", 8),
        _match(Relation.USED, "file", "sales.csv"),
        _match(Relation.UNUSED, "package", "requests 2.32.0"),
        _match(Relation.USE_UNKNOWN, "package", "protobuf 6.0"),
    ),
)  # fmt: skip
"""One row of each kind."""
MOMENTS = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?|\b\d{1,3}:\d\d(?::\d\d)?\b")


def calm() -> FakeEngine:
    """Return an engine with one submission that waits, two runs that ended, and one check that fails."""
    found = (violation(span(1, 8, 10), level=Level.LOW), violation(span(6, 7, 17)))
    pending = case("s-waiting", CODE, who="report-writer", violations=found, seconds=90_000)
    done = running("s-done").model_copy(update={"status": Status.FINISHED, "result": result()})
    engine = FakeEngine(pending, done, killed("s-killed"))
    for id in ("s-done", "s-killed"):
        engine.written[id] = [chunk("to \x1b[32mstdout\x1b[0m\n"), chunk("to stderr\n", Stream.STDERR)]
    engine.effects_of["s-killed"] = EFFECTS
    engine.analysis = Analysis(violations=(violation(span(1, 1, 6)),))
    engine.checks = (
        Check(name="docker", ok=True, detail=Untrusted("Docker 28, cgroup version 2")),
        Check(
            name="image pratique/python", ok=True, detail=Untrusted("0123456789ab, built 3 days ago, 180 MiB")
        ),
        Check(name="disk", ok=False, detail=Untrusted("0.5 GiB free"), hint="df -h /   (and make room)"),
    )
    return engine


def drawn(app: ConsoleApp) -> str:
    """Return the frame as text, without moments in time."""
    rows = OURS.sub("", frame(app)).split("\n")
    return "\n".join(MOMENTS.sub(lambda moment: "·" * len(moment[0]), row).rstrip() for row in rows) + "\n"


async def settled(app: ConsoleApp, pilot: Pilot[Any]) -> str:
    """Return the frame once it has stayed the same for a while."""
    before, same = "", 0
    while same < 4:
        await pilot.pause(0.1)
        now = drawn(app)
        same, before = (same + 1, now) if now == before else (0, now)
    return before


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_screen_is_as_it_was(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No screen differs from its stored frame."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    moment = datetime.now(UTC)
    for module in ("listing", "times"):
        monkeypatch.setattr(f"console.review.queue.{module}.now", lambda: moment)
    async with open_console(calm(), size) as (app, pilot):
        for name, (kind, reach) in DRAWN.items():
            await back(app, pilot)
            await reach(app, pilot)
            await until(pilot, lambda kind=kind: kind == type(app.screen).__name__, 60)  # type: ignore[misc]
            stored = FOLDER / f"{name}-{size[0]}x{size[1]}.txt"
            found = await settled(app, pilot)
            if os.environ.get(RENEW) == "1":
                FOLDER.mkdir(exist_ok=True)
                stored.write_text(found, encoding="utf-8")
            assert (name, stored.read_text(encoding="utf-8").split("\n")) == (name, found.split("\n")), (
                "make frames"
            )
