"""A signature counts with the key registered for its maker, never with the one that it brings along."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.review.pre_approvals import SUBJECT
from engine.core.submissions.canonical import digest
from engine.history.exports import case_verify
from engine.models import (
    Case,
    Decision,
    DecisionOutcome,
    Draft,
    Grant,
    Language,
    Level,
    MatchMode,
    Permissions,
    PreApproval,
    Principal,
    Role,
    Status,
)
from engine.policy.binding import analysis_hash
from engine.principals import sign
from engine.principals.keys import KeyUnusable
from engine.principals.signing import sign_pre_approval
from tests.engine.core.conftest import EngineMaker

ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
BOB = Principal(name=Untrusted("bob"), roles=frozenset({Role.REVIEWER}))
AGENT = Principal(name=Untrusted("agent"), roles=frozenset({Role.REQUESTER}))
NOW = datetime.now(UTC)
UNSIGNED = "is not as it was signed with the key registered for ada"
Forgery = Callable[[Decision], Decision]


@pytest.fixture
async def engine(engine_with: EngineMaker, no_docker: None) -> AsyncIterator[Engine]:
    """Return an engine that can decide, and run nothing."""
    async with engine_with() as made:
        yield made


async def submitted(engine: Engine, code: str = "import os\nos.remove('x')\n") -> Case:
    """Return a case that waits for a decision."""
    draft = Draft(code=Untrusted(code), language=Language.PYTHON)
    return await engine.submissions.submit(draft, AGENT)


def approval(case: Case, by: Principal = ADA, **changes: object) -> Decision:
    """Return an unsigned approval of all that a case requests."""
    made = Decision(
        submission=case.submission.id,
        digest=case.submission.digest,
        outcome=DecisionOutcome.APPROVED,
        by=by,
        at=NOW,
        grant=Grant(permissions=case.submission.draft.permissions),
        analysis=analysis_hash(case.analysis),
    )
    return made.model_copy(update=changes)


def by_a_stranger(decision: Decision) -> Decision:
    """Sign with a key that nobody registered."""
    return sign(decision, Ed25519PrivateKey.generate())


def unsigned(decision: Decision) -> Decision:
    """Take the signature away."""
    return decision.model_copy(update={"signature": None})


def changed(**fields: object) -> Forgery:
    """Change fields under the signature."""
    return lambda decision: decision.model_copy(update=fields)


def signed_anew(**fields: object) -> Forgery:
    """Change fields, and sign the whole with a stranger's key."""
    return lambda decision: by_a_stranger(decision.model_copy(update=fields))


def with_key_of_another(decision: Decision) -> Decision:
    """Name the registered key, with a stranger's signature."""
    forged = by_a_stranger(decision)
    assert forged.signature
    assert decision.signature
    return forged.signed(forged.signature.model_copy(update={"key": decision.signature.key}))


def with_zero_key(decision: Decision) -> Decision:
    """Name a key of small order, for which signatures can be made without a private key."""
    assert decision.signature
    return decision.signed(decision.signature.model_copy(update={"key": "0" * 64, "value": "0" * 128}))


WIDER = Grant(permissions=Permissions(domains=(Untrusted("evil.test"),)))
FORGERIES: dict[str, Forgery] = {
    "a stranger's key": by_a_stranger,
    "no signature": unsigned,
    "another's signature under the registered key": with_key_of_another,
    "a key of small order": with_zero_key,
    "a wider grant, signed anew": signed_anew(grant=WIDER),
    "a wider grant": changed(grant=WIDER),
    "another time, signed anew": signed_anew(at=NOW - timedelta(days=1)),
    "another submission": changed(submission="s-other"),
    "another image": changed(image="sha256:other"),
    "another name with this signature": changed(by=BOB),
    "another role": changed(by=ADA.model_copy(update={"roles": frozenset({Role.ADMIN})})),
    "no grant": changed(grant=None),
    "another analysis, signed anew": signed_anew(analysis="f" * 64),
    "a pre-approval, signed anew": signed_anew(pre_approval="a-1"),
}


async def test_an_honest_approval_holds(engine: Engine) -> None:
    """What is signed with the registered key is approved, and nothing about it has changed."""
    case = await submitted(engine)
    decision = await engine._keys.sign(approval(case))
    assert () == engine._decisions.changed(case.with_decision(decision, Status.QUEUED), "")


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
async def test_a_forged_approval_starts_nothing(engine: Engine, forgery: Forgery) -> None:
    """Just before the start of a run, an approval counts with its reviewer's registered key alone."""
    case = await submitted(engine)
    forged = forgery(await engine._keys.sign(approval(case)))
    found = engine._decisions.changed(case.with_decision(forged, Status.QUEUED), "")
    assert any("is not as it was signed" in one for one in found)


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
async def test_a_forged_first_approval_counts_for_nothing(engine: Engine, forgery: Forgery) -> None:
    """A second reviewer cannot approve upon a first approval that is not its reviewer's."""
    case = await submitted(engine)
    forged = case.with_first_approval(forgery(await engine._keys.sign(approval(case))))
    shown = case.submission.digest
    with pytest.raises(Problem, match="is not as it was signed"):
        engine._decisions.require_decidable(forged, BOB, DecisionOutcome.APPROVED, shown, overdue=False)
    engine._decisions.require_decidable(forged, BOB, DecisionOutcome.DENIED, shown, overdue=False)
    second = await engine._keys.sign(approval(case, BOB))
    assert engine._decisions.changed(forged.with_decision(second, Status.QUEUED), "")


async def test_a_first_approval_is_checked_after_a_restart(engine_with: EngineMaker, no_docker: None) -> None:
    """A first approval that is read back from the disk is held to the key that the history registers."""
    async with engine_with() as engine:
        honest, forged = await submitted(engine), await submitted(engine, "import os\nos.remove('y')\n")
        for case, make in ((honest, lambda one: one), (forged, by_a_stranger)):
            review = make(await engine._keys.sign(approval(case)))
            data = review.model_dump(mode="json")
            after = case.with_first_approval(review)
            await engine._events.record(
                "decision.first_approval", after.submission.id, ADA.name, data=data, case=after
            )
    async with engine_with() as engine:
        for case, refused in ((honest, False), (forged, True)):
            stored = await engine.queries.case(case.submission.id)
            assert 1 == len(stored.reviews)
            if refused:
                with pytest.raises(Problem, match=UNSIGNED):
                    engine._decisions.require_decidable(
                        stored, BOB, DecisionOutcome.APPROVED, stored.submission.digest, overdue=False
                    )
            else:
                engine._decisions.require_decidable(
                    stored, BOB, DecisionOutcome.APPROVED, stored.submission.digest, overdue=False
                )
        found = await engine.queries.verify()
        assert "is not signed with the key registered for ada" in found.problem


async def test_a_registration_is_an_event_before_the_first_signature(engine: Engine) -> None:
    """The key of a reviewer is in the chain before anything that it signed, once."""
    case = await submitted(engine)
    signed = await engine._keys.sign(approval(case))
    await engine._keys.sign(approval(case, reason=Untrusted("again")))
    (event,) = await engine._log.read.events(subject="reviewers")
    assert signed.signature is not None
    assert ("reviewer.registered", "ada", signed.signature.key) == (
        event.type,
        event.data["name"],
        event.data["key"],
    )


async def test_a_case_file_brings_the_registration_along(engine: Engine) -> None:
    """A case file proves which key the history registered for who decided."""
    case = await submitted(engine)
    await engine.submissions.decide(
        case.submission.id, ADA, DecisionOutcome.DENIED, case.submission.digest, "no"
    )
    members = case_verify.unpacked(await engine.history.case_file(case.submission.id, ADA))
    said = [words for _, words in case_verify.check(members)]
    assert [] != [words for words in said if "signed with the key that the engine registered for" in words]


async def test_a_replaced_key_file_signs_nothing(engine: Engine) -> None:
    """A key file that is not the registered one is refused, with what to do."""
    await engine._keys.sign(approval(await submitted(engine)))
    engine._keys._ring.key(BOB)
    engine._keys._ring.path_of(BOB).replace(engine._keys._ring.path_of(ADA))
    with pytest.raises(KeyUnusable, match="not the one that is registered"):
        await engine._keys.sign(approval(await submitted(engine, "import os\nos.remove('z')\n")))


async def test_a_new_key_ends_the_old_one_and_keeps_its_decisions(
    engine_with: EngineMaker, no_docker: None
) -> None:
    """A key that was moved away is replaced on record: what it signed before stays valid, no more."""
    async with engine_with() as engine:
        case = await submitted(engine)
        old = await engine._keys.sign(approval(case))
        data = old.model_dump(mode="json")
        await engine._events.record("decision.made", case.submission.id, ADA.name, data=data)
        engine._keys._ring.path_of(ADA).unlink()
        new = await engine._keys.sign(approval(case))
        types = [event.type for event in await engine._log.read.events(subject="reviewers")]
        assert ["reviewer.registered", "reviewer.removed", "reviewer.registered"] == types
        assert (False, True) == (engine._keys.holds(old), engine._keys.holds(new))
        assert (await engine.queries.verify()).intact
        await engine._log.append_many([("decision.made", case.submission.id, ADA.name, data)])
        assert "is not signed with the key registered for ada" in (await engine.queries.verify()).problem
    async with engine_with() as engine:
        assert (False, True) == (engine._keys.holds(old), engine._keys.holds(new))


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
async def test_verify_names_a_forged_approval(engine: Engine, forgery: Forgery) -> None:
    """An approval on record that is not signed with the key registered before it is found by verification."""
    case = await submitted(engine)
    forged = forgery(await engine._keys.sign(approval(case)))
    data = forged.model_dump(mode="json")
    await engine._events.record("decision.made", case.submission.id, ADA.name, data=data)
    found = await engine.queries.verify()
    assert (False, True) == (found.intact, found.problem.startswith("the approval in record "))


async def given(engine: Engine, case: Case, **changes: object) -> PreApproval:
    """Return a signed pre-approval of exactly this submission."""
    made = PreApproval(
        id="a-1",
        match_mode=MatchMode.EXACT,
        value=digest(case.submission.draft, AGENT),
        requester=AGENT.name,
        ceiling=Level.HIGH,
        uses=5,
        until=NOW + timedelta(days=5),
        grant=Grant(permissions=case.submission.draft.permissions),
        basis=case.submission.id,
        by=ADA,
        at=NOW,
    )
    return await engine._keys.sign_pre_approval(made.model_copy(update=changes))


PRE_APPROVALS: dict[str, Callable[[PreApproval], PreApproval]] = {
    "a stranger's key": lambda one: sign_pre_approval(one, Ed25519PrivateKey.generate()),
    "no signature": lambda one: one.model_copy(update={"signature": None}),
    "more uses": lambda one: one.model_copy(update={"uses": 1000}),
    "a higher ceiling": lambda one: one.model_copy(update={"ceiling": Level.CRITICAL}),
    "a wider grant": lambda one: one.model_copy(update={"grant": WIDER}),
    "more time": lambda one: one.model_copy(update={"until": NOW + timedelta(days=80)}),
    "another requester": lambda one: one.model_copy(update={"requester": Untrusted("mallory")}),
    "other code": lambda one: one.model_copy(update={"value": "0" * 64}),
    "another way to match": lambda one: one.model_copy(update={"match_mode": MatchMode.STRUCTURE}),
    "another's name": lambda one: one.model_copy(update={"by": BOB}),
    "another id": lambda one: one.model_copy(update={"id": "a-2"}),
}  # fmt: skip


async def test_an_honest_pre_approval_is_read_back(engine_with: EngineMaker, no_docker: None) -> None:
    """What its giver signed is listed after a restart, and the history that holds it is intact."""
    async with engine_with() as engine:
        one = await given(engine, await submitted(engine))
        await engine.pre_approvals._record(
            "pre_approval.created", ADA.name, one, {"approval": one.model_dump(mode="json")}
        )
    async with engine_with() as engine:
        assert (one,) == engine.pre_approvals.listed()
        assert (await engine.queries.verify()).intact


@pytest.mark.parametrize("forgery", PRE_APPROVALS.values(), ids=PRE_APPROVALS)
async def test_a_forged_pre_approval_approves_nothing(
    engine_with: EngineMaker, no_docker: None, forgery: Callable[[PreApproval], PreApproval]
) -> None:
    """After a restart, what its giver did not sign is not listed, and verify names it."""
    async with engine_with() as engine:
        forged = forgery(await given(engine, await submitted(engine)))
        data = {"pre_approval": "a-1", "approval": forged.model_dump(mode="json")}
        await engine._events.record("pre_approval.created", SUBJECT, ADA.name, data=data)
        await engine._events.record("pre_approval.used", SUBJECT, data={"pre_approval": "a-1", "used": 1})
    async with engine_with() as engine:
        assert () == engine.pre_approvals.listed()
        assert (await engine.queries.verify()).problem.startswith("the approval in record ")
