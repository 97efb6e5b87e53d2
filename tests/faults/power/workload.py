"""`python -m tests.faults.power.workload FOLDER`: some work of an engine, each answer noted in a file there.

The recorder sees the notes among everything else that is written, and so in their order.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from engine.analysis_pool import AnalysisPool
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import DecisionOutcome, Draft, Language, Scope
from engine.settings import HistorySettings, PolicySettings
from tests.faults import scenario
from tests.faults.machine import Machine
from tests.faults.scenario import ADA, AGENT, engine_at

ANSWERS = "answers"
SUBMISSIONS = 4
SETTINGS = scenario.SETTINGS.model_copy(
    update={
        "policy": PolicySettings(require_full_review=False),
        "history": HistorySettings(checkpoint_events=5),
    }
)


def note(home: Path, kind: str, *what: str) -> None:
    """Note an answer."""
    descriptor = os.open(home / ANSWERS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, json.dumps([kind, *what]).encode() + b"\n")
    os.close(descriptor)


async def _submission(engine: Engine, home: Path, number: int) -> None:
    draft = Draft(code=Untrusted(f"print({number})"), language=Language.PYTHON)
    submission = (await engine.submissions.submit(draft, AGENT)).submission
    note(home, "submitted", submission.id)
    outcome = DecisionOutcome.APPROVED if number % 2 else DecisionOutcome.DENIED
    await engine.submissions.decide(submission.id, ADA, outcome, submission.digest)
    note(home, "decided", submission.id, outcome.value)
    if outcome is DecisionOutcome.APPROVED:
        await engine.queries.finished(submission.id, within=20)


async def _work(home: Path) -> None:
    pool = AnalysisPool(workers=1)
    try:
        async with engine_at(home, Machine(), pool) as engine:
            await engine.health(settled_within=5)
            for number in range(SUBMISSIONS):
                await _submission(engine, home, number)
            token = await engine.tokens.create("bot", (Scope.SUBMIT,), 1, ADA)
            note(home, "token", token.token.id)
            await engine.secrets.set("KEY", "api.test", "x" * 20, ADA)
            note(home, "secret", "KEY")
            note(home, "revoking", token.token.id)
            await engine.tokens.revoke(token.token.id, ADA)
            note(home, "revoked", token.token.id)
            note(home, "removing", "KEY")
            await engine.secrets.remove("KEY", ADA)
            note(home, "removed", "KEY")
    finally:
        await pool.close()
    note(home, "stopped")


if __name__ == "__main__":
    scenario.SETTINGS = SETTINGS
    os.environ["PRATIQUE_HOME"] = sys.argv[1]
    asyncio.run(_work(Path(sys.argv[1])))
