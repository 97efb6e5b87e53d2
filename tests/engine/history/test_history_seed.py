"""A made-up history is a real one in all but its events, and never mixes with real ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.core.submissions.canonical import digest
from engine.history.chain import chain
from engine.history.devtools.seed import seed_history
from engine.history.devtools.synthetic_case import SyntheticCase, digest_for
from engine.history.devtools.template import CaseTemplate
from engine.history.errors import HistoryError
from engine.history.exports import case_verify
from engine.history.exports.case_verify import Trust
from engine.history.store.sql import blobs, cases
from engine.history.store.sql.facts.check import facts_problems
from engine.history.store.sqlite.connect import open_reader
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import DecisionOutcome, Draft, KillReason, Language, Level, Permissions, Principal
from engine.settings import HistorySettings


async def test_seeded_history_is_intact_and_searchable(path: Path, settings: HistorySettings) -> None:
    """The chain, the cases, the texts and the counts of a made-up history hold together."""
    events = seed_history(path, 30, seed=1)
    log = await SqliteHistoryStore.open(path, settings)
    verification = await log.verify()
    facets = await log.read.facets()
    rows = await log.read.summaries("text:print", limit=100)
    output = [await log.read.output(row.id) for row in rows if row.kill_reason]
    await log.close()
    assert [] == list(facts_problems(open_reader(path, lambda: False)))
    assert (events, True, 1) == (verification.events, verification.intact, verification.checkpoints)
    assert (30, True, 30) == (facets.total, facets.exact, len(rows))
    assert all(chunks[0].data.startswith(b"result of") for chunks in output)


async def test_made_up_runs_are_never_proved(path: Path, settings: HistorySettings) -> None:
    """Nobody signed what is made up: with the right key of the engine, its case files still prove nothing."""
    seed_history(path, 5, seed=1)
    log = await SqliteHistoryStore.open(path, settings)
    rows = await log.read.summaries()
    files = [case_verify.unpacked(await log.case_file(row.id)) for row in rows]
    await log.close()
    assert [False] * 5 == [_is_proved(members) for members in files]


def _is_proved(members: dict[str, bytes]) -> bool:
    key = case_verify.public_key(members["public_key.pem"]).hex()
    try:
        return {"ok"} == {kind for kind, _ in case_verify.check(members, Trust(frozenset({key})))}
    except case_verify.Wrong:
        return False


@pytest.mark.parametrize("language", Language)
def test_a_made_up_digest_is_the_one_of_the_service(language: Language) -> None:
    """What is made up for a submission is what the desk would compute."""
    code = 'print("ü\\n")\n'
    asked = Principal(name=Untrusted('agent "7"'))
    host, purpose = "a.example", 'say "hi"'
    draft = Draft(
        code=Untrusted(code),
        language=language,
        permissions=Permissions(domains=(Untrusted(host),)),
        purpose=Untrusted(purpose),
    )
    assert digest(draft, asked) == digest_for(code, language, asked.name.text, host, purpose)


def test_same_seed_same_history(tmp_path: Path) -> None:
    """Two histories of one seed have the same cases."""
    seeded = [seed_history(tmp_path / name / "pratique.db", 5, seed=7) for name in ("a", "b")]
    assert seeded[0] == seeded[1]


async def test_real_events_are_never_mixed_with_made_up_ones(path: Path, settings: HistorySettings) -> None:
    """Where there are events, or an engine, nothing is made up."""
    log = await SqliteHistoryStore.open(path, settings)
    with pytest.raises(HistoryError, match="Another engine"):
        seed_history(path, 1, seed=1)
    await log.append("engine.started", "", Untrusted("engine"), {})
    await log.close()
    with pytest.raises(HistoryError, match="has events already"):
        seed_history(path, 1, seed=1)


@pytest.mark.parametrize("outcome", DecisionOutcome)
def test_a_mould_casts_what_the_nouns_would_be(outcome: DecisionOutcome) -> None:
    """Filling gaps makes the same bytes as going through the models."""
    run = SyntheticCase(
        id="s-1",
        at=datetime(2026, 1, 2, 3, 4, 5, 600, tzinfo=UTC),
        wait=timedelta(seconds=7.5),
        risk=Level.HIGH,
        language=Language.SHELL,
        outcome=outcome,
        kill=KillReason.MEMORY,
        requester="agent-7",
        reviewer="alice",
        seconds=2.25,
        code="echo 100%s\n# second\n",
        code_digest=blobs.digest_of(b"echo 100%s\n# second\n"),
        digest="cd" * 32,
        output_digest="ab" * 32,
        output_size=123,
        host="a.example",
        path="/workspace/100%.csv",
        purpose="say 100%s",
    )
    expected = cases.encode(run.case())
    rows = CaseTemplate(replace(run, id="another", code="x\ny\n")).rows(run)
    assert (expected.columns, expected.body) == (rows.encoded.columns, rows.encoded.body)
    assert [
        (type, actor, chain.canonical_data(data)) for type, actor, data in run.events(expected.sha256)
    ] == [(entry.type, entry.actor, entry.data) for entry in rows.entries]
