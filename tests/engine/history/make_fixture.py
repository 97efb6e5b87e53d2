"""`python -m tests.engine.history.make_fixture`: writes a small history of the current format.

It goes to `tests/data/history/format-N`, and is committed once for each released format: later versions have
to open it, read every case, and verify it. The signing key in it is for these tests only.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.common.text import Untrusted
from engine.history.store.sqlite import schema
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import (
    Artifact,
    Case,
    InputFile,
    KillReason,
    Language,
    Level,
    Meters,
    OutputChunk,
    Status,
    Stream,
)
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case

FOLDER = Path(__file__).parents[2] / "data" / "history"
BEGIN = datetime(2026, 11, 21, 6, 0, tzinfo=UTC)
AGENT, ALICE = Untrusted("agent"), Untrusted("alice")
OUTPUT = b"result: 42\n"
ARTIFACT = b"a,b\n1,2\n"


def fixture_cases() -> tuple[Case, ...]:
    """Return the cases as the history has them at its end."""
    finished = build_case(
        "s-finished",
        "print('r\u00e9sultat', 42)\n",
        files=(InputFile(name=Untrusted("in.csv"), content=b"\x00\xff"),),
        status=Status.FINISHED,
        reviewer="alice",
        submitted_at=BEGIN,
        exit_code=0,
        stdout_bytes=len(OUTPUT),
    )
    killed = build_case(
        "s-killed",
        "while :; do :; done\n",
        status=Status.KILLED,
        risk=Level.HIGH,
        language=Language.SHELL,
        reviewer="bob",
        submitted_at=BEGIN + timedelta(minutes=1),
        exit_code=None,
        kill_reason=KillReason.TIMEOUT,
        duration=0.1 + 0.2,
    )
    denied = build_case(
        "s-denied",
        "process.exit(1)\n",
        status=Status.DENIED,
        risk=Level.CRITICAL,
        language=Language.JAVASCRIPT,
        requester="bot \u202e\x1b[31m",
        submitted_at=BEGIN + timedelta(minutes=2),
    )
    pending = build_case("s-pending", "print(input())\n", submitted_at=BEGIN + timedelta(minutes=3))
    return finished, killed, denied, pending


async def write(path: Path) -> None:
    """Write the history at `path`."""
    store = await SqliteHistoryStore.open(path, HistorySettings())
    try:
        for case in fixture_cases():
            await write_case(store, case)
        await store.append("history.viewed", "s-finished", ALICE, {})
    finally:
        await store.close()


async def write_case(store: SqliteHistoryStore, case: Case) -> None:
    """Write a case with all its events."""
    id, submission = case.submission.id, case.submission
    created = {"digest": submission.digest, "language": submission.draft.language.value, "purpose": ""}
    await store.append("submission.created", id, submission.requester.name, created)
    first = case.model_copy(update={"status": Status.PENDING, "decision": None, "result": None})
    assessed = {"risk": case.assessment.risk.value, "rules": ["r"]}
    await store.append("submission.assessed", id, Untrusted("engine"), assessed, case=first)
    if case.decision:
        decided = case.model_copy(update={"status": Status.QUEUED, "result": None})
        data = case.decision.model_dump(mode="json")
        await store.append("decision.made", id, case.decision.by.name, data, case=decided)
    if case.result:
        await _write_run(store, id)
        data = case.result.model_dump(mode="json")
        await store.append("run.ended", id, Untrusted("engine"), data, case=case)
    elif case.status is Status.DENIED:
        await store.append("claim.released", id, ALICE, {}, case=case)


async def _write_run(store: SqliteHistoryStore, id: str) -> None:
    await store.append_output(id, [OutputChunk(stream=Stream.STDOUT, at=0.5, offset=0, data=OUTPUT)])
    sample = Meters(at=0.5, cpu=0.5, memory=1 << 20, memory_peak=1 << 20, processes=1)
    await store.append_meters(id, [sample])
    digest = hashlib.sha256(ARTIFACT).hexdigest()
    artifact = Artifact(name=Untrusted("out.csv"), size=len(ARTIFACT), digest=digest)
    await store.append_artifact(id, artifact, ARTIFACT)


def main() -> int:
    """Write the fixture of the current format, unless it is there."""
    folder = FOLDER / f"format-{schema.VERSION}"
    if folder.exists():
        sys.stderr.write(f"{folder} exists: a released format is never written again\n")
        return 1
    asyncio.run(write(folder / "pratique.db"))
    (folder / "pratique.db.lock").unlink()
    (folder / "pratique.pub").unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
