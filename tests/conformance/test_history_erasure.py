"""What every HistoryStore promises about erasing: the texts are gone, and all that is left is proved."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.common.text import Untrusted
from engine.history.api import HistoryStore
from engine.history.errors import HistoryError
from engine.models import (
    Artifact,
    Case,
    InputFile,
    OutputChunk,
    PredictedEffect,
    Status,
    Stream,
)
from engine.models.analysis import Certainty, EffectKind
from engine.models.erasing.erasure import ErasureOrder
from tests.conformance.history_stores import ALICE, STORES, Implementation, opened
from tests.engine.history.conftest import build_case

EVERYTHING = ErasureOrder(rule="erased on request", reason=Untrusted("request 7"))
SECRET = "zanzibar"
"""In every text of the case that is erased, and nowhere else."""


@pytest.fixture(params=STORES)
def implementation(request: pytest.FixtureRequest) -> Implementation:
    """Return each implementation in turn."""
    return STORES[request.param]


def secret_case(id: str = "s-1", code: str = f"{SECRET}code = 1\n") -> Case:
    """Return a case that is over, in which every text names the secret."""
    file = InputFile(name=Untrusted(f"{SECRET}.csv"), content=f"{SECRET}file".encode())
    case = build_case(id, code, files=(file,), status=Status.FINISHED, reviewer="alice", exit_code=0)
    draft = case.submission.draft.model_copy(update={"purpose": Untrusted(f"{SECRET} purpose")})
    effect = PredictedEffect(
        kind=EffectKind.HOST, value=Untrusted(f"{SECRET}.example"), certainty=Certainty.EXACT, lines=(1,)
    )
    assert case.decision
    changed = {
        "submission": case.submission.model_copy(update={"draft": draft}),
        "analysis": case.analysis.model_copy(update={"effects": (effect,)}),
        "decision": case.decision.model_copy(update={"reason": Untrusted(f"{SECRET} reason")}),
    }
    return case.model_copy(update=changed)


async def recorded(store: HistoryStore, case: Case, secret: str = SECRET) -> None:
    """Record a case with what its run printed and left, and what was said about it."""
    id, draft = case.submission.id, case.submission.draft
    created: dict[str, Any] = {"digest": "ab" * 32, "language": "python", "purpose": draft.purpose.text}
    await store.append("submission.created", id, Untrusted("agent"), created, case=case)
    assert case.decision
    await store.append("decision.made", id, ALICE, case.decision.model_dump(mode="json"))
    left = f"{secret}left-{id}".encode()
    printed = f"{secret}output {id}".encode()
    await store.append_output(id, [OutputChunk(stream=Stream.STDOUT, at=0, offset=0, data=printed)])
    artifact = Artifact(name=Untrusted(f"{secret}.txt"), size=len(left), digest=_digest(left))
    await store.append_artifact(id, artifact, left)
    effects = {"effects": [{"number": 1, "kind": "write", "target": f"/tmp/{secret}", "process": secret}]}
    await store.append("run.effects", id, Untrusted("engine"), effects)
    await store.append("note.added", id, Untrusted("bob"), {"text": f"{secret} note"})


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


async def said(store: HistoryStore, id: str) -> str:
    """Return all that the history still says about a case."""
    events = [event.model_dump_json() for event in await store.read.events(subject=id)]
    case = await store.read.case(id)
    assert case
    summaries = [one.model_dump_json() for one in await store.read.summaries(f"id:{id}")]
    return "\n".join([*events, case.model_dump_json(), *summaries])


async def indexed(store: HistoryStore, *ids: str) -> None:
    """Wait until the texts of these cases are found."""
    async with asyncio.timeout(20):
        for id in ids:
            while not await store.read.summaries(f"id:{id} note:{SECRET} text:{SECRET}*"):
                await asyncio.sleep(0.01)


async def test_what_was_erased_is_not_said_any_more(implementation: Implementation, tmp_path: Path) -> None:
    """After an erasure no text of the case is read or found, and the history verifies."""
    async with opened(implementation, tmp_path) as store:
        await recorded(store, secret_case())
        await indexed(store, "s-1")
        found = await store.erase("s-1", ALICE, EVERYTHING)
        assert {
            "code": 1, "file": 1, "output": 1, "artifact": 1, "submission.created": 1, "decision.made": 1,
            "run.artifact": 1, "run.effects": 1, "note.added": 1,
        } == found.categories  # fmt: skip
        assert SECRET not in await said(store, "s-1")
        for query in (
            f"text:{SECRET}*",
            f"purpose:{SECRET}",
            f"reason:{SECRET}",
            f"note:{SECRET}",
            f"host:{SECRET}*",
        ):
            assert () == await store.read.summaries(query)
        assert () == await store.read.values("observed.path", "/tmp")
        verified = await store.verify()
        assert (True, "") == (verified.intact, verified.problem)
    async with opened(implementation, tmp_path) as store:
        assert (await store.verify()).intact


async def test_what_was_erased_is_recorded(implementation: Implementation, tmp_path: Path) -> None:
    """The record of an erasure says by whom, why, by which rule, and how much of what; who asked stays."""
    async with opened(implementation, tmp_path) as store:
        await recorded(store, secret_case())
        erased = await store.erase("s-1", ALICE, EVERYTHING)
        event = (await store.read.events(subject="s-1"))[-1]
        assert ("history.erased", ALICE) == (event.type, event.actor)
        assert ("request 7", "erased on request") == (event.data["reason"], event.data["rule"])
        assert dict(erased.categories) == event.data["categories"]
        (summary,) = await store.read.summaries("requester:agent")
        assert ("s-1", "alice", "") == (summary.id, summary.reviewer.text, summary.first_line.text)
        assert {"code", "file", "output", "artifact"} == {
            one.what for one in await store.read.erasures("s-1")
        }


async def test_a_second_erasure_erases_nothing(implementation: Implementation, tmp_path: Path) -> None:
    """What is erased already is not erased again, nor recorded again."""
    async with opened(implementation, tmp_path) as store:
        await recorded(store, secret_case())
        await store.erase("s-1", ALICE, EVERYTHING)
        last = (await store.read.events(subject="s-1"))[-1].seq
        assert not await store.read.erasable("s-1", EVERYTHING)
        assert not await store.erase("s-1", ALICE, EVERYTHING)
        assert last == (await store.read.events(subject="s-1"))[-1].seq


async def test_the_words_of_one_person(implementation: Implementation, tmp_path: Path) -> None:
    """Erasing what one person said leaves code, purpose and what others said; erasing the rest follows."""
    async with opened(implementation, tmp_path) as store:
        await recorded(store, secret_case())
        assert ("s-1",) == await store.read.said_by("bob")
        bob = ErasureOrder(rule="words of bob", author=Untrusted("bob"))
        assert {"note.added": 1} == (await store.erase("s-1", ALICE, bob)).categories
        alice = ErasureOrder(rule="words of alice", author=ALICE)
        assert {"decision.made": 1} == (await store.erase("s-1", ALICE, alice)).categories
        case = await store.read.case("s-1")
        assert case
        assert case.decision
        assert ("", f"{SECRET} purpose") == (case.decision.reason.text, case.submission.draft.purpose.text)
        assert (await store.verify()).intact
        await store.erase("s-1", ALICE, EVERYTHING)
        assert SECRET not in await said(store, "s-1")
        assert (await store.verify()).intact


async def test_the_words_of_one_person_leave_the_line_of_code_in_lists(
    implementation: Implementation, tmp_path: Path
) -> None:
    """Of a submission without a purpose, too."""
    case = secret_case()
    draft = case.submission.draft.model_copy(update={"purpose": Untrusted("")})
    async with opened(implementation, tmp_path) as store:
        await recorded(store, case.with_submission(case.submission.with_draft(draft)))
        await store.erase("s-1", ALICE, ErasureOrder(rule="words of alice", author=ALICE))
        (summary,) = await store.read.summaries("id:s-1")
        assert Untrusted(f"{SECRET}code = 1") == summary.first_line
        assert (await store.verify()).intact


async def test_what_is_not_over_is_not_erased(implementation: Implementation, tmp_path: Path) -> None:
    """A submission that waits or runs is refused, and so is one that there is not."""
    async with opened(implementation, tmp_path) as store:
        waiting = build_case("s-2")
        await store.append("claim.created", "s-2", ALICE, {}, case=waiting)
        for id in ("s-2", "s-3"):
            with pytest.raises(HistoryError):
                await store.erase(id, ALICE, EVERYTHING)


async def test_contents_of_others_stay(implementation: Implementation, tmp_path: Path) -> None:
    """Code that another submission has too is erased with the last one of them."""
    async with opened(implementation, tmp_path) as store:
        await recorded(store, secret_case())
        await recorded(store, secret_case("s-2"))
        await store.erase("s-1", ALICE, EVERYTHING)
        other = await store.read.case("s-2")
        assert other
        assert SECRET in other.submission.draft.code.text
        await store.erase("s-2", ALICE, EVERYTHING)
        assert SECRET not in await said(store, "s-1") + await said(store, "s-2")
        assert (await store.verify()).intact


async def test_held_contents_stay(implementation: Implementation, tmp_path: Path) -> None:
    """The rules of retention erase nothing of a submission that is held."""
    async with opened(implementation, tmp_path, retain_mb=1, retain_newest_seconds=0) as store:
        for id in ("s-1", "s-2"):
            code = "".join(f"{id}{datetime.now(UTC)}{n}\n" for n in range(200_000))
            await store.append(
                "claim.created", id, ALICE, {}, case=build_case(id, code, status=Status.DENIED)
            )
        await store.apply_retention(frozenset({"s-1"}))
        held, other = await store.read.case("s-1"), await store.read.case("s-2")
        assert held
        assert held.submission.draft.code.text
        assert other
        assert not other.submission.draft.code.text


async def test_a_forged_erasure_is_found(implementation: Implementation, tmp_path: Path) -> None:
    """Emptying a record without a record of that is found."""
    async with opened(implementation, tmp_path) as store:
        await recorded(store, secret_case())
        await recorded(store, secret_case("s-2", "other = 1\n"))
        await store.erase("s-1", ALICE, EVERYTHING)
        events = await store.read.events()
    whole = next(event.seq for event in events if (event.type, event.subject) == ("note.added", "s-2"))
    implementation.alter_data(tmp_path, whole, '{"text":""}')
    async with opened(implementation, tmp_path) as store:
        assert f"record {whole} was changed" == (await store.verify()).problem


async def test_what_an_erasure_left_cannot_be_changed(implementation: Implementation, tmp_path: Path) -> None:
    """Other data, or another actor, in a record whose texts were erased is found."""
    async with opened(implementation, tmp_path) as store:
        await recorded(store, secret_case())
        await store.erase("s-1", ALICE, EVERYTHING)
        (note,) = [event.seq for event in await store.read.events() if event.type == "note.added"]
    implementation.alter_data(tmp_path, note, '{"text":"forged"}')
    async with opened(implementation, tmp_path) as store:
        assert f"record {note} was changed" == (await store.verify()).problem
    implementation.alter_data(tmp_path, note, '{"text":"zanzibar note"}')
    async with opened(implementation, tmp_path) as store:
        assert f"record {note} was put back after it had been erased" == (await store.verify()).problem
    implementation.alter_data(tmp_path, note, '{"text":""}')
    implementation.alter_event(tmp_path, note)
    async with opened(implementation, tmp_path) as store:
        assert f"record {note} was changed" == (await store.verify()).problem


async def test_after_compaction_no_byte_is_left(implementation: Implementation, tmp_path: Path) -> None:
    """After compaction the secret is in no byte that the store keeps, and compacting again does nothing."""
    async with opened(implementation, tmp_path) as store:
        for number in range(8):
            await recorded(store, secret_case(f"s-{number}", f"{SECRET}code = {number}\n"))
            await recorded(store, other_case(f"t-{number}"), "kept")
        await indexed(store, "s-0", "s-7")
        assert implementation.holds(tmp_path, SECRET)
        for number in range(8):
            await store.erase(f"s-{number}", ALICE, EVERYTHING)
        await store.compact()
        assert not implementation.holds(tmp_path, SECRET)
        last = (await store.read.events(limit=10_000))[-1]
        assert "history.compacted" == last.type
        await store.compact()
        assert last.seq == (await store.read.events(limit=10_000))[-1].seq
        assert (await store.verify()).intact


def other_case(id: str) -> Case:
    """Return a case beside the secret ones, which stays."""
    return build_case(id, f"kept{id} = 1\n", status=Status.FINISHED, reviewer="alice", exit_code=0)
