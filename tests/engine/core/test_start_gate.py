"""Code starts once, in the approved image, and a backend that does not ask gets no result accepted."""

from __future__ import annotations

import pytest

from engine.common.errors import Problem
from engine.core.runs.start_gate import StartGate
from engine.models import Display, KillReason, Result
from engine.sandbox import SandboxUnavailable, StartPermit, StartRequest
from engine.sandbox.api.results import result_not_started
from engine.sandbox.run.sealed_request import SealedRequest

APPROVED = "sha256:approved"
ASKED = StartRequest("s-1", "box", APPROVED)
RAN = Result(
    exit_code=0, kill_reason=KillReason.NONE, evidence=(), duration=1.0, memory_peak=1, stdout_bytes=1,
    stderr_bytes=0, truncated=False, image_digest=APPROVED, runtime="any",
)  # fmt: skip


class _Engine:
    """What a gate checks and records with."""

    def __init__(self) -> None:
        self.started: list[StartRequest] = []
        self.gate = StartGate("s-1", self._record)

    async def _record(self, request: StartRequest) -> None:
        if request.image_digest != APPROVED:
            raise Problem(409, "s-1 is not what was approved: the image differs")
        self.started.append(request)


async def test_a_permit_is_recorded_before_it_is_given() -> None:
    """The start is recorded, and the result of a permitted run is accepted."""
    engine = _Engine()
    assert StartPermit(ASKED) == await engine.gate.permit(ASKED)
    assert ([ASKED], RAN) == (engine.started, engine.gate.check_result(RAN))


def test_a_backend_that_forgets_to_ask_has_its_result_refused() -> None:
    """Whatever claims to have run without a permit is refused."""
    gate = _Engine().gate
    killed = RAN.model_copy(update={"exit_code": None, "kill_reason": KillReason.TIMEOUT})
    displayed = killed.model_copy(update={"stdout_bytes": 0, "displays": (Display(mime="text/plain"),)})
    for result in (RAN, killed, displayed):
        with pytest.raises(Problem, match="without a permit") as refused:
            gate.check_result(result)
        assert 409 == refused.value.status


async def test_a_run_that_ended_before_its_start_was_checked_needs_no_permit() -> None:
    """One request that was refused, and nothing that ran: the result says why."""
    engine = _Engine()
    with pytest.raises(Problem) as refused:
        await engine.gate.permit(StartRequest("s-2", "box", APPROVED))
    assert 409 == refused.value.status
    failed = result_not_started("any", KillReason.SANDBOX_FAILED, "no permit")
    assert failed == engine.gate.check_result(failed)


def test_a_run_that_never_started_needs_no_permit() -> None:
    """One that was withdrawn while it waited has its result accepted."""
    withdrawn = result_not_started("any", KillReason.OPERATOR, "withdrawn")
    assert withdrawn == _Engine().gate.check_result(withdrawn)


@pytest.mark.parametrize(
    "request_", [StartRequest("s-1", "box", "sha256:other"), StartRequest("s-2", "box", APPROVED)]
)
async def test_another_image_or_run_gets_no_permit(request_: StartRequest) -> None:
    """The request is refused, nothing is recorded as started, and no result is accepted."""
    engine = _Engine()
    with pytest.raises(Problem):
        await engine.gate.permit(request_)
    assert [] == engine.started
    with pytest.raises(Problem, match="without a permit"):
        engine.gate.check_result(RAN)


async def test_a_backend_that_asks_twice_is_refused() -> None:
    """Two requests could mean two sandboxes: the second fails, and so does the result."""
    engine = _Engine()
    await engine.gate.permit(ASKED)
    with pytest.raises(Problem, match="asked twice") as refused:
        await engine.gate.permit(StartRequest("s-1", "another", APPROVED))
    assert 409 == refused.value.status
    assert [ASKED] == engine.started
    for result in (RAN, result_not_started("any", KillReason.OPERATOR, "withdrawn")):
        with pytest.raises(Problem, match="without a permit"):
            engine.gate.check_result(result)


def test_the_last_byte_needs_the_permit_of_this_very_sandbox() -> None:
    """Of a run request all bytes but one can be sent early; the last is released for its permit only."""
    request = SealedRequest(b"request", ASKED)
    assert (b"reques", b"t") == (request.body, request.release(StartPermit(ASKED)))
    with pytest.raises(SandboxUnavailable, match="another sandbox"):
        request.release(StartPermit(StartRequest("s-1", "another", APPROVED)))
