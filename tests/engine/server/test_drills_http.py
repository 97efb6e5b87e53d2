"""The score of drills over HTTP and the command line: each reviewer is told their own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.models import DecisionOutcome, Scope, Status
from engine.principals.identity import owner
from tests.engine.core.drilling import ADA, BOB, drill, drilled_engine
from tests.engine.core.local_http import http
from tests.faults.machine import Machine

SECONDS = 60


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let everything lie in a folder of its own."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    return tmp_path


async def test_a_decision_about_a_drill_is_answered_with_what_it_was(home: Path) -> None:
    """The reviewer gets the status and what was in it; only their score counts it."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        body = {"outcome": DecisionOutcome.APPROVED, "digest": entry.case.submission.digest}
        async with http(engine, ADA, Scope.REVIEW) as ada, http(engine, BOB, Scope.REVIEW) as bob:
            told = (await ada.post(f"/v1/submissions/{entry.id}/decision", json=body)).json()
            assert (Status.DRILL, True) == (told["status"], bool(told["drill"]))
            assert (1, 0) == tuple([(await each.get("/v1/drills")).json()["missed"] for each in (ada, bob)])


async def test_neither_agents_nor_auditors_ask_for_a_score(home: Path) -> None:
    """An agent is refused; so is an auditor; the owner of the socket is told their own, which is nothing."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        shown = entry.case.submission.digest
        await engine.submissions.decide(entry.id, ADA, DecisionOutcome.APPROVED, shown)
        for scope in (Scope.SUBMIT, Scope.AUDIT):
            async with http(engine, BOB, scope) as client:
                assert 403 == (await client.get("/v1/drills")).status_code
        async with http(engine, owner()) as client:
            assert 0 == (await client.get("/v1/drills")).json()["missed"]


async def test_nothing_public_says_who_missed_a_drill(home: Path) -> None:
    """Events, searches, facets, counters, case files and trends of the history name no reviewer of it."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        entry = await drill(engine)
        shown = entry.case.submission.digest
        await engine.submissions.decide(entry.id, ADA, DecisionOutcome.APPROVED, shown)
        async with http(engine, owner()) as client:
            for path in (
                f"/v1/history/{entry.id}/events", f"/v1/submissions/{entry.id}", "/v1/history/facets",
                "/v1/history?filter=status:drill", "/v1/history/counts?by=reviewer", "/v1/history/trends",
                f"/v1/history/{entry.id}/case", "/metrics", "/v1/approvals/careless",
            ):  # fmt: skip
                answer = await client.get(path)
                assert (path, 200) == (path, answer.status_code)
                assert not any(word in answer.content for word in (b'"ada"', b"missed", b"caught")), path


async def test_counters_count_real_submissions_alone(home: Path) -> None:
    """One real submission and a drill are one."""
    async with drilled_engine(home, Machine()) as engine, asyncio.timeout(SECONDS):
        async with http(engine, owner()) as client:
            entry = await drill(engine)
            await engine.submissions.expired(entry)
            text = (await client.get("/metrics")).text
        counted = [line for line in text.splitlines() if line.startswith("pratique_submissions_total")]
        assert 1 == sum(float(line.rpartition(" ")[2]) for line in counted)
        assert 'pratique_decision_duration_seconds_count{outcome="expired"} 0.0' in text
