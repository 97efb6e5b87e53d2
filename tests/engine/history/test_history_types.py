"""Every event has a type, and says what its type has to say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.common.text import Untrusted
from engine.core.runs.history_events import HISTORY_TYPES, SANDBOX_CREATED
from engine.history.errors import HistoryError
from engine.history.events.types import validate
from engine.history.store.sqlite.store import SqliteHistoryStore

CALLED = re.compile(r'(?:record|record_surely|record_soon)\(\s*"([a-z_.]+)"')
CHOSEN = re.compile(r'kind = "([a-z_.]+)" if [^"]+ else "([a-z_.]+)"')


def recorded_types() -> set[str]:
    """Return the types that the engine's own source names where it records."""
    sources = [file.read_text() for file in Path(engine.__file__).parent.rglob("*.py")]
    recording = [source for source in sources if CALLED.search(source)]
    found = (match for source in recording for how in (CALLED, CHOSEN) for match in how.finditer(source))
    named = {name for match in found for name in match.groups() if name}
    return named | set(HISTORY_TYPES.values()) | {SANDBOX_CREATED}


def is_known(type_: str) -> bool:
    """Say whether there is such a type, whatever it asks for."""
    try:
        validate(type_, {})
    except HistoryError as error:
        return "Unknown event type" not in error.title
    return True


def test_all_that_the_engine_records_is_known() -> None:
    """Whatever the engine records, somewhere in its source, has a model."""
    types = recorded_types()
    assert {"submission.created", "run.started", "sandbox.acquired", "run.kill", "decision.expired"} <= types
    assert set() == {type_ for type_ in types if not is_known(type_)}


@pytest.mark.parametrize(
    ("type_", "data", "said"),
    [
        ("nonsense", {}, "Unknown event type 'nonsense'"),
        ("submission.created", {"language": "python"}, "digest: Field required"),
        ("submission.created", {"digest": "x", "language": "python"}, "digest: "),
        ("submission.assessed", {"risk": "purple", "rules": []}, "risk: "),
        ("run.killed", {"reason": "mood", "evidence": []}, "reason: "),
        ("run.ended", {"exit_code": 0}, "kill_reason: Field required"),
    ],
)
async def test_unfit_events_are_refused(
    log: SqliteHistoryStore, type_: str, data: dict[str, Any], said: str
) -> None:
    """An unknown type, or data that lacks what its type says, is refused and not written."""
    with pytest.raises(HistoryError, match=re.escape(said)):
        await log.append(type_, "s", Untrusted("a"), data)
    assert () == await log.read.events()


async def test_further_fields_are_kept(log: SqliteHistoryStore) -> None:
    """An event keeps what its type does not know, and nothing is added."""
    event = await log.append("policy.loaded", "", Untrusted("engine"), {"policy": "x", "extra": [1]})
    assert {"policy": "x", "extra": [1]} == event.data
