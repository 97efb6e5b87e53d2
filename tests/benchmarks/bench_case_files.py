"""Case files and incidents: exported, and verified by the stand-alone verifier.

`PRATIQUE_BENCH_CASES` says how many cases the incident has; the target is for 1,000.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from engine.common.supervisor import Supervisor
from engine.common.text import Untrusted
from engine.core.history.event_bus import EventBus
from engine.core.queue import InProcessQueue
from engine.core.response.incidents import Incidents
from engine.history.exports import case_verify
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Principal, Role
from engine.models.incident import EntryKind, NewEntry
from engine.settings import HistorySettings, ServerSettings
from tests.benchmarks.row import Row, percentiles
from tests.engine.history.honest_case import approved_run

REVIEWER = Principal(name=Untrusted("alice"), roles=frozenset({Role.REVIEWER}))
SAMPLES = 50


async def rows() -> list[Row]:
    """Measure."""
    count = int(os.environ.get("PRATIQUE_BENCH_CASES", "100"))
    with tempfile.TemporaryDirectory() as folder:
        log = await SqliteHistoryStore.open(Path(folder) / "pratique.db", HistorySettings())
        try:
            ids = [f"s-{number}" for number in range(count)]
            for id in ids:
                await approved_run(log, id, f"print({id!r})")
            return [await _single(log, ids[:SAMPLES]), await _incident(log, ids)]
        finally:
            await log.close()


async def _single(log: SqliteHistoryStore, ids: list[str]) -> Row:
    """Measure the export and the verification of one case after the other, in milliseconds."""
    took = []
    for id in ids:
        began = time.perf_counter()
        verified(await log.case_file(id))
        took.append(1e3 * (time.perf_counter() - began))
    p50, p95, p99 = percentiles(took)
    name = "case file, exported and verified"
    return Row(name, p50, p95, p99, "ms", None, None, "p95 < 1000 ms", p95 < 1000)


async def _incident(log: SqliteHistoryStore, ids: list[str]) -> Row:
    """Measure the same of an incident, in seconds."""
    supervisor = Supervisor()
    incidents = Incidents(EventBus(log, InProcessQueue(ServerSettings()), supervisor))
    incident = await incidents.open(Untrusted("bench"), REVIEWER)
    await incidents.add(incident.id, NewEntry(kind=EntryKind.QUERY, value=Untrusted("id:*")), REVIEWER)
    began = time.perf_counter()
    verified(await incidents.sealed(incident.id, REVIEWER))
    took = time.perf_counter() - began
    await supervisor.close()
    name, most = f"incident of {len(ids):,} cases, exported and verified", 60 * len(ids) / 1000
    return Row(name, took, took, took, "s", None, None, f"< {most:g} s", took < most)


def verified(file: bytes) -> None:
    """Verify a file. Raises case_verify.Wrong where it is not as the proofs say."""
    for _ in case_verify.check(case_verify.unpacked(file)):
        pass
