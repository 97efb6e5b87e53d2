"""The history through the client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from urllib.parse import quote

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.common.text import Untrusted
from engine.models import (
    Erasure,
    Event,
    Facets,
    FilterHelp,
    Summary,
    Trends,
    Verification,
    VerificationProgress,
)
from engine.models.api import CheckpointNotes, ChecksRecord, ExportRecord
from engine.models.history import Counts, Total

SEARCH_SECONDS = 60.0
VERIFY_SECONDS = 3600.0
_SUMMARIES = TypeAdapter(tuple[Summary, ...])
_EVENTS = TypeAdapter(tuple[Event, ...])
_ERASURES = TypeAdapter(tuple[Erasure, ...])


class HistoryClient:
    """Searches, reads, exports and verifies the history."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def search(
        self, filter: str = "", before: str | None = None, limit: int = 200, sort: str = ""
    ) -> tuple[Summary, ...]:
        """Return submissions that match `filter`, the newest first, those after the id `before`.

        `sort` is a field, with `-` in front in descending order.
        """
        params: dict[str, str | int] = {"filter": filter, "limit": limit}
        if sort:
            params["sort"] = sort
        if before is not None:
            params["before"] = before
        return _SUMMARIES.validate_json(await self._transport.get("/v1/history", params))

    async def events(self, id: str) -> tuple[Event, ...]:
        """Return the events of one submission, the oldest first."""
        return _EVENTS.validate_json(await self._transport.get(f"/v1/history/{id}/events"))

    async def verify(self) -> Verification:
        """Verify the whole history."""
        body = await self._transport.post("/v1/history/verification", timeout=VERIFY_SECONDS)
        return Verification.model_validate_json(body)

    async def total(self, filter: str = "") -> Total:
        """Return how many submissions match: exactly, or at least so many."""
        return Total.model_validate_json(
            await self._transport.get("/v1/history/total", {"filter": filter}, SEARCH_SECONDS)
        )

    async def counts(self, filter: str, by: str) -> Counts:
        """Return how many submissions that match have each value of a field, such as `observed.host`."""
        params: dict[str, str | int] = {"filter": filter, "by": by}
        return Counts.model_validate_json(
            await self._transport.get("/v1/history/counts", params, SEARCH_SECONDS)
        )

    async def facets(self, filter: str = "") -> Facets:
        """Return how many submissions match, by risk, status, language and requester."""
        return Facets.model_validate_json(
            await self._transport.get("/v1/history/facets", {"filter": filter}, SEARCH_SECONDS)
        )

    async def filter_help(self, filter: str) -> FilterHelp:
        """Return how a filter can be completed, and what is wrong with it."""
        return FilterHelp.model_validate_json(
            await self._transport.get("/v1/history/filter", {"text": filter})
        )

    async def trends(self, days: float = 7) -> Trends:
        """Return figures about the submissions of the last days."""
        return Trends.model_validate_json(
            await self._transport.get("/v1/history/trends", {"days": days}, SEARCH_SECONDS)
        )

    def verify_with_progress(
        self, *, resume: bool = False, witnessed: Sequence[str] = ()
    ) -> AsyncGenerator[VerificationProgress, None]:
        """Verify the history: yield the progress, and last what was found.

        `witnessed` are signed checkpoints of an external witness; with them everything is read.
        """
        if witnessed:
            return self._transport.lines(
                "/v1/history/verification/checkpoints",
                {},
                VerificationProgress,
                CheckpointNotes(notes=tuple(witnessed)),
            )
        return self._transport.lines("/v1/history/verification", {"resume": resume}, VerificationProgress)

    async def erasures(self, id: str) -> tuple[Erasure, ...]:
        """Return what the retention rules have erased of a submission."""
        return _ERASURES.validate_json(
            await self._transport.get(f"/v1/submissions/{quote(id, safe='')}/erasures")
        )

    async def case_file(self, id: str) -> bytes:
        """Return a ZIP that proves what happened to a submission. The download is recorded."""
        return await self._transport.get(f"/v1/history/{quote(id, safe='')}/case", timeout=SEARCH_SECONDS)

    async def record_checks(self, kind: str, total: int, failed: Sequence[str]) -> None:
        """Record what the self-test or the doctor of this machine found."""
        body = ChecksRecord(kind=kind, total=total, failed=tuple(failed))
        await self._transport.post("/v1/history/checks", body)

    async def record_export(self, what: str, kind: str, submissions: int) -> None:
        """Record that records are exported."""
        await self._transport.post(
            "/v1/history/exports", ExportRecord(what=Untrusted(what), format=kind, submissions=submissions)
        )
