"""The decisions that the engine does not have yet, on disk until it has them."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from console.app.file_lock import FileLock
from console.review.decisions import PendingDecision
from engine import locations
from engine.common.local_files import private_folder, read_file, write_private
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, FrozenModel, Grant, LineComment, ReviewRecord

MOST_BYTES = 1 << 26


class UnsentDecision(FrozenModel):
    """A decision as it was made, about the submission with this digest."""

    id: str
    digest: str
    outcome: DecisionOutcome
    reason: Untrusted = Untrusted("")
    grant: Grant | None = None
    review_record: ReviewRecord | None = None
    comments: tuple[LineComment, ...] = ()

    def about(self, case: Case) -> PendingDecision:
        """Return the decision about the case that it was made for."""
        return PendingDecision(
            case, self.outcome, self.reason.text, self.grant, self.review_record, self.comments
        )


_UNSENT = TypeAdapter(tuple[UnsentDecision, ...])


def folder() -> Path:
    """Return the folder of the journals: a file and a lock for each console."""
    return locations.state() / "unsent-decisions"


class DecisionJournal:
    """The unsent decisions of this console, and those that consoles left behind that were killed."""

    def __init__(self) -> None:
        self._name = secrets.token_hex(8)
        self._lock: FileLock | None = None
        self._kept: dict[str, UnsentDecision] = {}

    def take_over(self) -> tuple[UnsentDecision, ...]:
        """Return what consoles left behind that are gone; it is this console's from now on.

        Raises:
            OSError: the folder cannot be used.
        """
        found: dict[str, UnsentDecision] = {}
        for path in sorted(private_folder(folder()).glob("*.json")):
            if path.stem == self._name or (lock := FileLock.take(path.with_suffix(".lock"))) is None:
                continue
            found |= {each.id: each for each in _read(path)}
            self._kept = found | self._kept
            self._write()
            path.unlink(missing_ok=True)
            lock.release()
        return tuple(each for id, each in found.items() if self._kept.get(id) == each)

    def keep(self, decisions: Iterable[PendingDecision]) -> None:
        """Put decisions on disk. Raises OSError: that is not possible."""
        self._kept |= {each.case.submission.id: _unsent(each) for each in decisions}
        self._write()

    def drop(self, *ids: str) -> None:
        """Forget decisions that were sent, refused or undone; what cannot be written is asked about again."""
        known = [id for id in ids if self._kept.pop(id, None) is not None]
        if known:
            self._write()

    def _write(self) -> None:
        private_folder(folder())
        path = folder() / f"{self._name}.json"
        if not self._kept:
            path.unlink(missing_ok=True)
            return
        if self._lock is None:
            self._lock = FileLock.take(path.with_suffix(".lock"))
        write_private(path, _UNSENT.dump_json(tuple(self._kept.values()), ensure_ascii=True))

    def close(self) -> None:
        """Leave what is not sent to the next console."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def _unsent(made: PendingDecision) -> UnsentDecision:
    submission = made.case.submission
    return UnsentDecision(
        id=submission.id,
        digest=submission.digest,
        outcome=made.outcome,
        reason=Untrusted(made.reason),
        grant=made.grant,
        review_record=made.review_record,
        comments=made.comments,
    )


def _read(path: Path) -> tuple[UnsentDecision, ...]:
    try:
        return _UNSENT.validate_json(read_file(path, MOST_BYTES, follow=False))
    except (OSError, ValidationError):
        return ()
