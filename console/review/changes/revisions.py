"""What revisions change, loaded once for each submission that revises another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.app.state import console_app
from engine.common.errors import Problem

if TYPE_CHECKING:
    from textual.screen import Screen

    from engine.models import Case, Revision

KEPT = 50


class LoadedRevisions:
    """Loads what a revision changes when it is opened, and keeps it for the next time."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._known: dict[str, Revision] = {}

    def find(self, case: Case | None) -> Revision | None:
        """Return what a submission changes; None where it revises nothing, or that is not loaded."""
        return self._known.get(case.submission.id) if case is not None else None

    async def load(self, case: Case) -> None:
        """Load what a submission changes. Where that fails all of it is unread, which needs no message."""
        id = case.submission.id
        if not case.submission.draft.revises or id in self._known:
            return
        try:
            self._known[id] = await console_app(self._screen).connection.client.reviews.revision(id)
        except Problem:
            return
        if len(self._known) > KEPT:
            self._known.pop(next(iter(self._known)))
