"""A revoked key signs nothing more; what it signed before stays signed, and its pre-approvals end."""

from __future__ import annotations

import asyncio

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.review import pre_approvals
from engine.models import Case, DecisionOutcome, Draft, Language, Principal, Role
from engine.principals.keys import KeyUnusable
from tests.engine.core.conftest import EngineMaker
from tests.engine.core.test_reviewer_keys import ADA, AGENT, BOB, approval, engine, given, submitted

__all__ = ["engine"]
ADMIN = Principal(name=Untrusted("root-of-all"), roles=frozenset({Role.ADMIN}))


def key_of(engine: Engine, name: str = "ada") -> str:
    """Return the key that is registered for a name."""
    return engine._keys.key_of(name)


async def pre_approve(engine: Engine, case: Case) -> None:
    """Record a pre-approval by ada of exactly this submission."""
    one = await given(engine, case, principal=AGENT.id)
    data: dict[str, object] = {"approval": one.model_dump(mode="json")}
    await engine.pre_approvals._record("pre_approval.created", ADA.name, one, data)


async def types_of(engine: Engine, subject: str) -> list[tuple[str, str]]:
    """Return type and actor of the events about a subject."""
    events = await engine._log.read.events(subject=subject)
    return [(event.type, event.actor.text) for event in events]


async def test_a_revoked_key_signs_nothing(engine: Engine) -> None:
    """Not in this engine, not under another name, and not after the file was copied back."""
    case = await submitted(engine)
    await engine._keys.sign(approval(case))
    await engine.revocations.revoke_key(key_of(engine), ADMIN)
    ring = engine._keys._ring
    ring.path_of(BOB).write_bytes(ring.path_of(ADA).read_bytes())
    ring.path_of(BOB).chmod(0o600)
    for who in (ADA, BOB):
        with pytest.raises(KeyUnusable, match="away, and a new one is registered"):
            await engine._keys.sign(approval(case, who))


async def test_a_revoked_key_stays_revoked_after_a_restart(engine_with: EngineMaker, no_docker: None) -> None:
    """The next engine reads the revocation from the history."""
    async with engine_with() as first:
        await first._keys.sign(approval(await submitted(first)))
        await first.revocations.revoke_key(key_of(first), ADMIN)
    async with engine_with() as second:
        case = await submitted(second, "import os\nos.remove('y')\n")
        with pytest.raises(KeyUnusable, match="was revoked"):
            await second._keys.sign(approval(case))
        second._keys._ring.path_of(ADA).unlink()
        assert second._keys.holds(await second._keys.sign(approval(case)))


async def test_what_was_signed_before_still_verifies_and_nothing_later(engine: Engine) -> None:
    """The history is intact with an approval from before the revocation, and not with one from after it."""
    case = await submitted(engine)
    signed = await engine._keys.sign(approval(case))
    data = signed.model_dump(mode="json")
    await engine._events.record("decision.made", case.submission.id, ADA.name, data=data)
    await engine.revocations.revoke_key(key_of(engine), ADMIN)
    assert (await engine.queries.verify()).intact
    assert not engine._keys.holds(signed)
    await engine._log.append_many([("decision.made", case.submission.id, ADA.name, data)])
    assert "is not signed with the key registered for ada" in (await engine.queries.verify()).problem


async def test_what_waits_to_run_upon_a_revoked_key_does_not_run(engine: Engine) -> None:
    """An approval that was signed and has not started, and a first approval of two, count no longer."""
    case = await submitted(engine)
    signed = await engine._keys.sign(approval(case))
    await engine.revocations.revoke_key(key_of(engine), ADMIN)
    waiting = case.with_first_approval(signed)
    assert engine._decisions.changed(waiting, "")
    with pytest.raises(Problem, match="registered for ada"):
        engine._decisions.require_decidable(
            waiting, BOB, DecisionOutcome.APPROVED, case.submission.digest, overdue=False
        )


async def test_its_pre_approvals_end_on_record(engine: Engine) -> None:
    """They are not listed, not used, and their end is an event of who revoked the key."""
    case = await submitted(engine)
    await pre_approve(engine, case)
    assert 1 == len(engine.pre_approvals.listed())
    await engine.revocations.revoke_key(key_of(engine), ADMIN)
    assert () == engine.pre_approvals.listed()
    assert await engine.pre_approvals.use(case) is None
    assert ("pre_approval.revoked", ADMIN.name.text) == (await types_of(engine, pre_approvals.SUBJECT))[-1]
    assert ("reviewer.removed", ADMIN.name.text) == (await types_of(engine, "reviewers"))[-1]
    assert (await engine.queries.verify()).intact


async def test_an_engine_that_ended_in_between_ends_them_at_the_next_start(
    engine_with: EngineMaker, no_docker: None
) -> None:
    """The revocation of the key is recorded first: what it signed cannot come back."""
    async with engine_with() as first:
        await pre_approve(first, await submitted(first))
        await first._keys.revoke(key_of(first), ADMIN)
        assert () == first.pre_approvals.listed()
    async with engine_with() as second:
        assert () == second.pre_approvals.listed()
        assert ("pre_approval.revoked", "engine") == (await types_of(second, pre_approvals.SUBJECT))[-1]
    async with engine_with() as third:
        assert 2 == len(await types_of(third, pre_approvals.SUBJECT))


async def test_a_revocation_waits_for_what_is_being_recorded(engine: Engine) -> None:
    """A decision that is signed already is recorded before the revocation, so that it verifies."""
    case = await submitted(engine)
    async with engine._keys.held():
        signed = await engine._keys.sign(approval(case))
        revoking = asyncio.create_task(engine.revocations.revoke_key(key_of(engine), ADMIN))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not revoking.done()
        data = signed.model_dump(mode="json")
        await engine._events.record("decision.made", case.submission.id, ADA.name, data=data)
    await revoking
    assert (await engine.queries.verify()).intact


async def test_decisions_and_revocations_at_once_leave_an_intact_history(engine: Engine) -> None:
    """Twenty denials race with revocations of their key; each is signed before it, or not at all."""
    cases = [await submitted(engine, f"import os\nos.remove('{n}')\n") for n in range(20)]
    await engine._keys.sign(approval(cases[0]))
    denials = [
        engine.submissions.decide(one.submission.id, ADA, DecisionOutcome.DENIED, one.submission.digest, "no")
        for one in cases
    ]
    half = len(denials) // 2
    await asyncio.gather(
        *denials[:half], engine.revocations.revoke_key(key_of(engine), ADMIN), *denials[half:]
    )
    assert (await engine.queries.verify()).intact


async def test_an_unknown_key_is_refused(engine: Engine) -> None:
    """What is registered for nobody, or was revoked before, cannot be revoked."""
    await engine._keys.sign(approval(await submitted(engine)))
    key = key_of(engine)
    await engine.revocations.revoke_key(key, ADMIN)
    for wrong in (key, "", "0" * 64, "../ada", "\x1b[2J"):
        with pytest.raises(Problem, match="no such key is registered"):
            await engine.revocations.revoke_key(wrong, ADMIN)


async def test_every_key_is_listed_with_its_end(engine: Engine) -> None:
    """Who looks for a key of earlier signatures finds it, and until when it signed."""
    await engine._keys.sign(approval(await submitted(engine)))
    await engine._keys.sign(approval(await submitted(engine, "import os\nos.remove('z')\n"), BOB))
    await engine.revocations.revoke_key(key_of(engine), ADMIN)
    assert [("ada", True), ("bob", False)] == [
        (one.name.text, one.removed_at is not None) for one in engine.keys
    ]


async def test_stored_code_that_does_not_hash_to_its_digest_is_not_approved(engine: Engine) -> None:
    """What was changed under a submission's digest, on disk or in memory, can be denied alone."""
    case = await submitted(engine)
    other = Draft(code=Untrusted("import os\nos.remove('other')\n"), language=Language.PYTHON)
    submission = case.submission.model_copy(update={"draft": other})
    changed, shown = case.model_copy(update={"submission": submission}), case.submission.digest
    with pytest.raises(Problem, match="is not what was submitted"):
        engine._decisions.require_decidable(changed, BOB, DecisionOutcome.APPROVED, shown, overdue=False)
    engine._decisions.require_decidable(changed, BOB, DecisionOutcome.DENIED, shown, overdue=False)
    engine._decisions.require_decidable(case, BOB, DecisionOutcome.APPROVED, shown, overdue=False)
