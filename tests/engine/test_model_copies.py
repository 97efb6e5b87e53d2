"""Models change only into what would be valid as a new one."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from engine.common.text import Untrusted
from engine.core.engines.remote_control import Call
from engine.models import Draft, IsolationProof, Language, Limits, Principal


def test_a_limit_of_time_is_only_ever_lowered() -> None:
    """The other limits stay."""
    limits = Limits(seconds=30, memory_mb=128)
    assert Limits(seconds=10, memory_mb=128) == limits.within_seconds(10)
    assert limits == limits.within_seconds(31)


def test_a_copy_that_would_be_invalid_is_refused() -> None:
    """As a new one would be."""
    with pytest.raises(ValidationError):
        Limits().within_seconds(0)
    with pytest.raises(ValidationError):
        Draft(code=Untrusted("x"), language=Language.PYTHON).in_session("../x", "python")


def test_an_answer_goes_back_to_the_engine_that_asked() -> None:
    """About the same call, asking for nothing; the problem is bounded."""
    call = Call(id="c-1", to="b", origin="a", run="s-1", by=Principal(name=Untrusted("ada")), act="stop")
    answer = call.answer("x" * 1001)
    assert ("c-1", "a", "b", "s-1", None) == (answer.id, answer.to, answer.origin, answer.run, answer.act)
    assert "x" * 1000 == answer.problem
    assert call.by == answer.by


def test_a_refuted_proof_is_none_of_isolation() -> None:
    """It says why, and keeps the rest."""
    proof = IsolationProof(
        isolated=True, runtime="runsc", kernel=Untrusted("gVisor"), detail=Untrusted("proven")
    )
    refuted = proof.refuted(Untrusted("it has a network"))
    assert (False, Untrusted("it has a network")) == (refuted.isolated, refuted.detail)
    assert (proof.runtime, proof.kernel) == (refuted.runtime, refuted.kernel)
