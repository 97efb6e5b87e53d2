"""`python -m tests.faults.reviewers 500`: a reviewer decides while console and engine are killed.

The console is also quit and resized at random moments.
Each decision that was made has to reach the history with its words, once; what was only typed has to be there
when the sheet is opened again.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from console.review.unsent.drafts import SavedTexts
from engine.client.client import Problem
from engine.common.text import Untrusted
from engine.models import Case, Draft, Language, Status
from tests.benchmarks.pty_console import PtyConsole
from tests.engine_process import EngineProcess
from tests.faults.load import ROOM

CONSOLE = """
from console.app.app import ConsoleApp
from engine.client.client import Client

async def connect():
    client = Client()
    await client.health()
    return client

ConsoleApp(connect).run()
"""
LONGEST_SECONDS = 4.0
"""How long after the decision at most something happens: longer than it can be undone."""
ARRIVES_SECONDS = 60.0
TYPED_SECONDS = 0.6
"""What was typed so long ago is on disk, on a busy machine too."""
SIZES = ((24, 80), (36, 120), (60, 200), (10, 40))


class Blow(StrEnum):
    """What happens to the reviewer."""

    QUIT = "quit"
    KILL_CONSOLE = "kill console"
    KILL_ENGINE = "kill engine"
    KILL_BOTH = "kill both"
    RESIZE = "resize"


@dataclass
class Campaign:
    """What came of it."""

    blows: Counter[Blow] = field(default_factory=Counter)
    sent: int = 0
    asked: int = 0
    """Decisions that the next console asked about."""
    kept: int = 0
    """Texts of decisions that were not made yet, and are kept."""
    broken: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        blows = ", ".join(f"{count} {name.value}" for name, count in sorted(self.blows.items()))
        return (
            f"{self.blows.total()} blows ({blows}): {self.sent} sent, {self.asked} of them after a question, "
            f"{self.kept} kept as text, {len(self.broken)} lost or twice"
        )


class Reviewer:
    """Decides about one submission after another in a real console."""

    def __init__(self, engine: EngineProcess, seed: int) -> None:
        self._engine = engine
        self._random = random.Random(seed)  # noqa: S311  no secret
        self._console: PtyConsole | None = None
        self.campaign = Campaign()

    async def round(self, number: int) -> None:
        """Decide about a new submission, have something happen, and look what became of the decision."""
        word = f"word{number:05}"
        async with self._engine.client("agent") as client:
            draft = Draft(
                code=Untrusted(f"import os\nprint(os.environ)  # {word}\n"), language=Language.PYTHON
            )
            id = (await client.submit(draft)).submission.id
        await asyncio.to_thread(self._decide, word)
        blow = self._random.choice(list(Blow))
        self.campaign.blows[blow] += 1
        await asyncio.to_thread(self._strike, blow)
        await self._settle(id, word, blow)

    def _decide(self, word: str) -> None:
        console = self._opened()
        console.see(word.encode())
        time.sleep(0.3)
        if self._random.random() < 0.5:
            before, _ = console.press(b"d")
            console.see(b"sent to the agent", since=before)
            self._type(console, word)
        else:
            before, _ = console.press(b"r")
            console.see(b"Request changes to", since=before)
            self._type(console, f"2: {word}")
            console.press(b"\r")
            time.sleep(0.2)
        time.sleep(TYPED_SECONDS)
        console.press(b"\r")
        time.sleep(self._random.uniform(0, LONGEST_SECONDS))

    @staticmethod
    def _type(console: PtyConsole, words: str) -> None:
        for each in words:
            console.press(each.encode())
            time.sleep(0.03)

    def _strike(self, blow: Blow) -> None:
        console = self._opened()
        if blow is Blow.QUIT:
            console.press(b"\x11")
            if not console.ended(30):
                self._kill_console()
            self._console = None
        if blow in {Blow.KILL_CONSOLE, Blow.KILL_BOTH}:
            self._kill_console()
        if blow in {Blow.KILL_ENGINE, Blow.KILL_BOTH}:
            self._engine.end(signal.SIGKILL)
            _start(self._engine)
        if blow is Blow.RESIZE:
            for size in self._random.choices(SIZES, k=3):
                console.resize(*size)
                time.sleep(0.05)
            console.resize(40, 140)

    def _kill_console(self) -> None:
        if self._console is not None:
            self._console.__exit__(None, None, None)
            self._console = None

    def _opened(self) -> PtyConsole:
        """Return the console, opened anew where it is gone; what it asks about is sent."""
        if self._console is None:
            (self._engine.home / "console-welcomed").touch()
            home = {"PRATIQUE_HOME": str(self._engine.home)}
            self._console = PtyConsole([sys.executable, "-c", CONSOLE], home)
            self._console.__enter__()
            self._console.see(b"gVisor")
        return self._console

    async def _settle(self, id: str, word: str, blow: Blow) -> None:
        asked = False
        began = time.monotonic()
        while time.monotonic() - began < ARRIVES_SECONDS:
            case = await self._case(id)
            if case is not None and case.status is not Status.PENDING:
                await self._check(case, word, blow)
                self.campaign.sent += 1
                self.campaign.asked += asked
                return
            if self._journal(id):
                asked |= await asyncio.to_thread(self._answer)
            elif case is not None and self._only_typed(id, word):
                self.campaign.kept += 1
                await self._clear(case)
                return
            await asyncio.sleep(0.2)
        self.campaign.broken.append(f"{id} after {blow.value}: nothing arrived, and nothing is kept")

    def _answer(self) -> bool:
        """Send what the console asks about; False where it does not ask."""
        console = self._opened()
        if not console.saw(b"Not sent before", 0):
            return False
        time.sleep(0.8)
        console.press(b"\x19")
        return True

    async def _case(self, id: str) -> Case | None:
        try:
            async with self._engine.client("agent") as client:
                return await client.case(id)
        except Problem:
            return None

    async def _check(self, case: Case, word: str, blow: Blow) -> None:
        """Require one decision that has the words."""
        id, decision = case.submission.id, case.decision
        said = (
            [] if decision is None else [decision.reason.text, *(one.text.text for one in decision.comments)]
        )
        if not any(word in each for each in said):
            self.campaign.broken.append(f"{id} after {blow.value}: decided with {said}")
        async with self._engine.client("agent") as client:
            events = [one.type for one in await client.history.events(id)]
        if 1 != sum(one.startswith("decision.") for one in events):
            self.campaign.broken.append(f"{id} after {blow.value}: {events}")

    def _journal(self, id: str) -> bool:
        folder = self._engine.home / "unsent-decisions"
        return (
            any(f'"{id}"' in path.read_text() for path in folder.glob("*.json")) if folder.is_dir() else False
        )

    def _only_typed(self, id: str, word: str) -> bool:
        """Say whether the console was gone before it took the decision, and the text is kept."""
        path = self._engine.home / "unsent-texts" / f"{id}.json"
        if self._console is not None or not path.is_file():
            return False
        texts = SavedTexts.model_validate_json(path.read_bytes())
        words = (texts.typed, texts.reason, texts.general, *(one.text.text for one in texts.comments))
        return any(word in each for each in words)

    async def _clear(self, case: Case) -> None:
        async with self._engine.client("agent") as client:
            await client.withdraw(case.submission.id, "agent")

    def close(self) -> None:
        """End the console."""
        self._kill_console()


def _start(engine: EngineProcess) -> None:
    """Start an engine, however long a busy machine takes."""
    try:
        engine.start()
    except AssertionError:
        deadline = time.monotonic() + ARRIVES_SECONDS
        while not engine.listens():
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


async def campaign(times: int, home: Path, seed: int = 1, *, says: bool = False) -> Campaign:
    """Run so many rounds, and return what came of them."""
    engine = EngineProcess(home, **ROOM)
    _start(engine)
    reviewer = Reviewer(engine, seed)
    try:
        async with engine.client("agent") as client:
            await client.health(20)
        for number in range(times):
            await reviewer.round(number)
            if says and number % 10 == 9:
                print(reviewer.campaign, reviewer.campaign.broken, flush=True)
    finally:
        reviewer.close()
        engine.end()
    return reviewer.campaign


def main() -> None:
    """Run a campaign and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("times", type=int, nargs="?", default=500)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pratique-") as home:
        found = asyncio.run(campaign(given.times, Path(home), given.seed, says=True))
    print(f"seed {given.seed}: {found}")
    print("\n".join(found.broken))
    sys.exit(bool(found.broken))


if __name__ == "__main__":
    main()
