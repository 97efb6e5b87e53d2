"""The client of the engine: what the console, the command line and other Python programs use.

async with await attach() as client:
    case = await client.submit(Draft(code=Untrusted("print(6 * 7)"), language=Language.PYTHON))
    print(case.status, case.assessment.risk)
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from engine import locations
from engine.doors.wire import Answer, Decided, Handed, Held, Snippet, Withdrawn
from engine.models import (
    Analysis,
    Case,
    Draft,
    Event,
    Grant,
    Health,
    Language,
    Meters,
    OutputChunk,
    Summary,
    Verdict,
    Verification,
)
from engine.problem import Problem
from engine.text import Untrusted

__all__ = ["Client", "Problem"]

DEADLINE_SECONDS = 30.0
VERIFY_SECONDS = 3600.0

_SUMMARIES = TypeAdapter(tuple[Summary, ...])
_EVENTS = TypeAdapter(tuple[Event, ...])
_M = TypeVar("_M", bound=BaseModel)


class Client:
    """Speaks to the engine over its Unix socket. Every method raises `Problem` where the answer is no."""

    def __init__(self, socket: Path | None = None, requester: str = "") -> None:
        path = str(socket or locations.socket())
        self._requester = Untrusted(requester)
        self._http = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=path),
            base_url="http://engine",
            timeout=DEADLINE_SECONDS,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def health(self, settled_within: float = 0) -> Health:
        """Return how the house stands; an engine that is starting has `settled_within` seconds to finish."""
        body = await self._get("/healthz", {"settled_within": settled_within})
        return Health.model_validate_json(body)

    async def submit(
        self, draft: Draft, *, key: str = "", join: bool = False, holder: str = "", requester: str = ""
    ) -> Case:
        """Hand in a draft; its case comes back stored, analysed and classified.

        The same `key` within 24 hours, or with `join` the same draft while it is open, makes no second
        submission. Without a connection of `present(holder)` what waits is withdrawn after a while.
        """
        name = Untrusted(requester) if requester else self._requester
        handed = Handed(draft=draft, requester=name, join=join, holder=holder)
        headers = {"idempotency-key": key} if key else {}
        return Case.model_validate_json(await self._post("/submissions", handed, headers=headers))

    async def withdraw(self, id: str, requester: str = "") -> Case:
        """End a submission of one's own: a waiting one is denied, a run is killed."""
        withdrawn = Withdrawn(requester=Untrusted(requester) if requester else self._requester)
        return Case.model_validate_json(await self._post(f"/submissions/{id}/withdrawal", withdrawn))

    def present(self, holder: str) -> AsyncGenerator[Held, None]:
        """Count as there for as long as this is read: one item comes, and then nothing."""
        return self._lines(f"/holders/{holder}", {}, Held)

    async def queue(self) -> tuple[Summary, ...]:
        """Return what waits, is queued or runs, the most urgent first."""
        return _SUMMARIES.validate_json(await self._get("/submissions"))

    async def case(self, id: str, within: float = 0) -> Case:
        """Return everything known about a submission, once it is over or `within` seconds have passed."""
        params, timeout = {"within": within}, DEADLINE_SECONDS + within
        return Case.model_validate_json(await self._get(f"/submissions/{id}", params, timeout))

    async def decide(
        self, id: str, verdict: Verdict, digest: str, reason: str = "", grant: Grant | None = None
    ) -> Case:
        """Approve or deny what was shown, which `digest` names."""
        decided = Decided(verdict=verdict, digest=digest, reason=Untrusted(reason), grant=grant)
        return Case.model_validate_json(await self._post(f"/submissions/{id}/decision", decided))

    async def analyse(self, code: str, language: Language) -> Analysis:
        """Analyse code without submitting it."""
        snippet = Snippet(code=Untrusted(code), language=language)
        return Analysis.model_validate_json(await self._post("/analysis", snippet))

    def events(self, since: int | None = None) -> AsyncGenerator[Event, None]:
        """Yield events as they happen; those after `since` first."""
        params = {} if since is None else {"since": since}
        return self._lines("/events", params, Event)

    def output(self, id: str, offset: int = 0) -> AsyncGenerator[OutputChunk, None]:
        """Yield the output of a run from `offset` bytes on, until the run is over."""
        return self._lines(f"/runs/{id}/output", {"offset": offset}, OutputChunk)

    def meters(self, id: str) -> AsyncGenerator[Meters, None]:
        """Yield what a run uses, until the run is over."""
        return self._lines(f"/runs/{id}/meters", {}, Meters)

    async def stop(self, id: str) -> None:
        """Ask a run to end, and end it after the grace."""
        await self._post(f"/runs/{id}/stop")

    async def kill(self, id: str) -> None:
        """End a run at once."""
        await self._post(f"/runs/{id}/kill")

    async def freeze(self, id: str) -> None:
        """Hold a run where it is."""
        await self._post(f"/runs/{id}/freeze")

    async def thaw(self, id: str) -> None:
        """Let a frozen run go on."""
        await self._post(f"/runs/{id}/thaw")

    async def history(
        self, filter: str = "", before: str | None = None, limit: int = 200
    ) -> tuple[Summary, ...]:
        """Return submissions that match `filter`, the newest first, those before the id `before`."""
        params: dict[str, str | int] = {"filter": filter, "limit": limit}
        if before is not None:
            params["before"] = before
        return _SUMMARIES.validate_json(await self._get("/audit", params))

    async def trail(self, id: str) -> tuple[Event, ...]:
        """Return the events of one submission, the oldest first."""
        return _EVENTS.validate_json(await self._get(f"/audit/{id}/events"))

    async def shut_down(self) -> None:
        """End the engine's process, and with it every run."""
        await self._post("/shutdown")

    async def verify(self) -> Verification:
        """Have the whole audit log read."""
        body = await self._post("/audit/verification", timeout=VERIFY_SECONDS)
        return Verification.model_validate_json(body)

    async def _get(
        self, path: str, params: dict[str, Any] | None = None, timeout: float = DEADLINE_SECONDS
    ) -> bytes:
        return await self._send("GET", path, params=params, timeout=timeout)

    async def _post(
        self,
        path: str,
        noun: BaseModel | None = None,
        timeout: float = DEADLINE_SECONDS,
        headers: dict[str, str] | None = None,
    ) -> bytes:
        content = noun.model_dump_json() if noun else None
        headers = {"content-type": "application/json", **(headers or {})}
        return await self._send("POST", path, content=content, headers=headers, timeout=timeout)

    async def _send(self, method: str, path: str, **options: Any) -> bytes:
        try:
            response = await self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise _unanswered(error) from error
        if response.is_error:
            raise _problem(response.status_code, response.content)
        return response.content

    async def _lines(self, path: str, params: dict[str, Any], noun: type[_M]) -> AsyncGenerator[_M, None]:
        endless = httpx.Timeout(DEADLINE_SECONDS, read=None)
        try:
            async with self._http.stream("GET", path, params=params, timeout=endless) as response:
                if response.is_error:
                    raise _problem(response.status_code, await response.aread())
                async for line in response.aiter_lines():
                    yield noun.model_validate_json(line)
        except httpx.HTTPError as error:
            raise _unanswered(error) from error


def _unanswered(error: httpx.HTTPError) -> Problem:
    if isinstance(error, httpx.TimeoutException):
        return Problem(504, "the engine did not answer in time", mend="Type: pratique doctor")
    return Problem(503, "no engine answers", mend="Type: pratique serve")


def _problem(status: int, body: bytes) -> Problem:
    try:
        answer = Answer.model_validate(json.loads(body))
    except (ValidationError, ValueError):
        return Problem(status, f"the engine answered {status}", mend="Type: pratique doctor")
    return Problem(status, answer.title, mend=answer.mend)
