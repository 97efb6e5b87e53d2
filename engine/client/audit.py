"""The part of the client that asks the history."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from urllib.parse import quote

from pydantic import TypeAdapter

from engine.client.transport import Connection
from engine.common.text import Untrusted
from engine.models import Erasure, Facets, FilterHelp, Trends, VerificationProgress
from engine.models.api import CheckpointNotes, ExportRecord

SEARCH_SECONDS = 60.0
_ERASURES = TypeAdapter(tuple[Erasure, ...])


class LookingBack(Connection):
    """Questions to the history beside its records."""

    async def facets(self, filter: str = "") -> Facets:
        """Return how many submissions that match there are of each kind."""
        return Facets.model_validate_json(
            await self._get("/history/facets", {"filter": filter}, SEARCH_SECONDS)
        )

    async def help_with(self, filter: str) -> FilterHelp:
        """Return what a filter may become, and where it is wrong."""
        return FilterHelp.model_validate_json(await self._get("/history/filter", {"text": filter}))

    async def trends(self, days: float = 7) -> Trends:
        """Return figures about the submissions of the last days."""
        return Trends.model_validate_json(await self._get("/history/trends", {"days": days}, SEARCH_SECONDS))

    def verifying(
        self, *, resume: bool = False, witnessed: Sequence[str] = ()
    ) -> AsyncGenerator[VerificationProgress, None]:
        """Have the history read again: yield how far it is, and at the end what was found.

        `witnessed` are signed checkpoints that somebody outside has kept; with them all is read.
        """
        if witnessed:
            return self._lines(
                "/history/verification/checkpoints",
                {},
                VerificationProgress,
                CheckpointNotes(notes=tuple(witnessed)),
            )
        return self._lines("/history/verification", {"resume": resume}, VerificationProgress)

    async def erased(self, id: str) -> tuple[Erasure, ...]:
        """Return what the rules of retention have erased of a submission."""
        return _ERASURES.validate_json(await self._get(f"/submissions/{quote(id, safe='')}/erasures"))

    async def case_file(self, id: str) -> bytes:
        """Return a zip that proves to anybody what happened to a submission; that it is taken is recorded."""
        return await self._get(f"/history/{quote(id, safe='')}/case", timeout=SEARCH_SECONDS)

    async def exported(self, what: str, kind: str, submissions: int) -> None:
        """Record an export of history records."""
        await self._post(
            "/history/exports", ExportRecord(what=Untrusted(what), format=kind, submissions=submissions)
        )
