"""What approved code did, compared with what was predicted and granted, in real sandboxes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import (
    Case,
    DecisionOutcome,
    Draft,
    Event,
    InputFile,
    KillReason,
    Language,
    Principal,
    Role,
)
from engine.models.observed import ObservationStatus, Relation
from engine.models.snapshot import RunSnapshot
from tests.engine.core.conftest import EngineMaker

pytestmark = pytest.mark.sandbox

AGENT = Principal(name=Untrusted("agent"))
ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
SECONDS = 60
HIDDEN = """
import os
name = ''.join(map(chr, [112, 116, 114, 97, 99, 101]))
import ctypes
getattr(ctypes.CDLL(None), name)(0, 0, 0, 0)
import time
print('still here', flush=True)
time.sleep(30)
"""
"""It traces itself, by a name that no analysis of names finds; then it waits."""


async def _approve(engine: Engine, code: str, language: Language = Language.PYTHON, **files: bytes) -> Case:
    given = tuple(InputFile(name=Untrusted(name), content=content) for name, content in files.items())
    draft = Draft(code=Untrusted(code), language=language, files=given)
    case = await engine.submissions.submit(draft, AGENT)
    id, digest = case.submission.id, case.submission.digest
    return await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, digest)


async def _finished(engine: Engine, case: Case) -> tuple[Case, tuple[Event, ...]]:
    ended = await engine.queries.finished(case.submission.id)
    return ended, await engine.queries.trail(case.submission.id)


async def _until_paused(engine: Engine, id: str) -> None:
    while "run.pause" not in {event.type for event in await engine.queries.trail(id)}:
        await asyncio.sleep(0.05)


async def test_a_run_is_shown_beside_what_was_predicted_and_granted(engine_with: EngineMaker) -> None:
    """A file that was read and predicted, one that was predicted and never read, and no surprise."""
    code = "data = open('given').read()\nif len(data) > 99:\n    open('/etc/hosts.allow')\nprint(data)"
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        case, events = await _finished(engine, await _approve(engine, code, given=b"1"))
        found = await engine.queries.effects(case.submission.id)
    assert found.observation is not None
    assert ObservationStatus.COMPLETE is found.observation.status
    rows = {(match.relation, match.kind, match.value.text) for match in found.matches}
    assert (Relation.PREDICTED, "read", "/workspace/given") in rows
    assert (Relation.USED, "file", "given") in rows
    assert (Relation.NOT_OBSERVED, "read", "/etc/hosts.allow") in rows
    assert "run.surprise" not in {event.type for event in events}


async def test_a_surprise_is_recorded_and_the_run_goes_on(engine_with: EngineMaker) -> None:
    """Without a word of the policy a surprise is an event, and nothing else."""
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        case, events = await _finished(engine, await _approve(engine, HIDDEN.replace("30", "0")))
    (surprise,) = [event for event in events if event.type == "run.surprise"]
    assert case.result is not None
    assert (0, "record") == (case.result.exit_code, surprise.data["action"])
    assert "trace" in {one["kind"] for one in surprise.data["surprises"]}


async def test_a_surprise_can_kill_a_run(engine_with: EngineMaker, home: Path) -> None:
    """With `on_surprise: kill` the run ends by policy, and says at what."""
    (home / "policy.yaml").write_text("on_surprise: kill\n")
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        case, _ = await _finished(engine, await _approve(engine, HIDDEN))
    assert case.result is not None
    assert KillReason.POLICY is case.result.kill_reason
    assert "surprise" in case.result.evidence[0]


async def test_a_surprise_can_freeze_a_run(engine_with: EngineMaker, home: Path) -> None:
    """With `on_surprise: freeze` the run stands still until a person decides about it."""
    (home / "policy.yaml").write_text("on_surprise: {high: freeze}\n")
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        case = await _approve(engine, HIDDEN)
        id = case.submission.id
        await _until_paused(engine, id)
        seen = await engine.runs.look(id)
        assert seen.paused
        assert seen.kernel is not None
        assert "trace" in {one.kind.value for one in seen.kernel.last}
        await engine.runs.resume(id, ADA)
        await engine.runs.kill(id, ADA)
        case, events = await _finished(engine, case)
    assert case.result is not None
    assert KillReason.OPERATOR is case.result.kill_reason
    (kept,) = [event.data["snapshot"] for event in events if event.type == "run.snapshot"]
    assert seen.bounded.kernel == RunSnapshot.model_validate(kept).kernel


async def test_a_policy_refuses_what_cannot_be_observed(
    engine_with: EngineMaker, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `observed: required` code does not start where its effects are not observed."""
    (home / "policy.yaml").write_text("observed: required\n")
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        case = await _approve(engine, "print(1)")
        case, events = await _finished(engine, case)
        assert case.result is not None
        assert 0 == case.result.exit_code
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        case, events = await _finished(engine, await _approve(engine, "print(2)"))
    assert case.result is not None
    assert KillReason.POLICY is case.result.kill_reason
    assert "run.started" not in {event.type for event in events}
    assert "requires observed effects" in case.result.evidence[0]
