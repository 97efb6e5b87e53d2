"""Permits the start of one approved run, once, and refuses the result of a run that started without it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from engine.common.errors import Problem
from engine.models import KillReason, Result
from engine.sandbox.api.permit import StartPermit, StartRequest

Record = Callable[[StartRequest], Awaitable[None]]
"""Records the start durably. Raises Problem unless the image digest and everything else are as approved."""


class StartGate:
    """Permits a backend to start the code of one run: once, in the approved image."""

    def __init__(self, run: str, record: Record) -> None:
        self._run = run
        self._record = record
        self._requests = 0
        self._permit: StartPermit | None = None

    @property
    def requested(self) -> bool:
        """Whether the start was requested: it may be recorded then."""
        return self._requests > 0

    @property
    def permitted(self) -> bool:
        """Whether the start was requested exactly once and permitted."""
        return self._permit is not None and self._requests == 1

    async def permit(self, request: StartRequest) -> StartPermit:
        """Record the start, then permit it.

        Raises:
            Problem: a second request, another run, or something that differs from the approval.
        """
        self._requests += 1
        if self._requests > 1:
            raise Problem(409, f"{self._run}: the sandbox backend asked twice to start it")
        if request.run != self._run:
            raise Problem(409, f"{self._run}: the sandbox backend asked to start {request.run}")
        await self._record(request)
        self._permit = StartPermit(request)
        return self._permit

    def check_result(self, result: Result) -> Result:
        """Return a result if its run had a permit or never started.

        Raises:
            Problem: the code ran without a permit, or the backend requested more than one.
        """
        if self.permitted or (self._requests <= 1 and _never_started(result)):
            return result
        raise Problem(409, f"{self._run}: the sandbox backend ran it without a permit; its result is refused")


def _never_started(result: Result) -> bool:
    wrote = result.stdout_bytes or result.stderr_bytes or result.artifacts or result.displays
    return result.exit_code is None and result.kill_reason is not KillReason.NONE and not wrote
