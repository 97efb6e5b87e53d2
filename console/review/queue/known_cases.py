"""Submissions that were loaded, each until something happens to it: the next one is there at once. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.models import Case

MOST = 30
MOST_EVENTS = 1000


class KnownCases:
    """The cases that were loaded last, without those about which an event has come since."""

    def __init__(self) -> None:
        self._cases: dict[str, Case] = {}
        self._last: dict[str, int] = {}
        """The number of the last event about each submission."""
        self._forgotten = 0
        """Up to this event it is not known what each was about."""
        self._moment = 0

    @property
    def moment(self) -> int:
        """How many events came so far."""
        return self._moment

    def __contains__(self, id: str) -> bool:
        return id in self._cases

    def find(self, id: str) -> Case | None:
        """Return the case of a submission as it was loaded, or None."""
        return self._cases.get(id)

    def keep(self, case: Case, since: int) -> None:
        """Keep a case that was asked for at a `moment`, unless something happened to it since then."""
        id = case.submission.id
        self._cases.pop(id, None)
        if max(self._forgotten, self._last.get(id, 0)) <= since:
            self._cases[id] = case
        if len(self._cases) > MOST:
            self._cases.pop(next(iter(self._cases)))

    def note(self, type: str, subject: str) -> None:
        """Forget the case that an event is about; one about the policy may change every case."""
        self._moment += 1
        self._last[subject] = self._moment
        self._cases.pop(subject, None)
        if type.startswith("policy."):
            self.clear()
        elif len(self._last) > MOST_EVENTS:
            self._last.clear()
            self._forgotten = self._moment

    def clear(self) -> None:
        """Forget all of them, since events may have been missed."""
        self._moment += 1
        self._forgotten = self._moment
        self._last.clear()
        self._cases.clear()
