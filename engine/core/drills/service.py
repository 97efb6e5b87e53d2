"""Which submissions are drills, what their end is recorded as, and the score of each reviewer."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from engine.common.errors import Problem
from engine.core.drills import answers
from engine.core.drills.catalogue import sample_of
from engine.core.drills.marks import DrillMarks
from engine.models import Case, Draft, Principal
from engine.models.past_decisions import DrillAnswer, DrillOutcome, DrillScore

MOST_TOLD = 50


class Drills:
    """Knows drills by their marks, and known-bad code by its text, which never runs whoever submits it."""

    def __init__(self, path: Path, *, wanted: bool) -> None:
        self._path = path
        self._wanted = wanted
        self._file: answers.DrillFile | None = None
        self._marks: DrillMarks | None = None
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Read the key and the answers; without them nothing is a drill, and its code still never runs."""
        self._file = await asyncio.to_thread(answers.load, self._path, create=self._wanted)
        self._marks = DrillMarks(bytes.fromhex(self._file.key)) if self._file else None

    @property
    def ready(self) -> bool:
        """Whether drills are wanted, and can be recognised again."""
        return self._wanted and self._marks is not None

    @property
    def used(self) -> Mapping[str, int]:
        """How often each sample was answered."""
        return answers.drills_made_of(self._file) if self._file else {}

    def new_id(self) -> str:
        """Return an id for a drill. Raises Problem: there is no key."""
        if self._marks is None:
            raise Problem(503, "there is no key for drills")
        return self._marks.new_id(time.time_ns() // 1_000_000)

    def is_drill(self, id: str) -> bool:
        """Return whether the submission of an id is a drill."""
        return self._marks is not None and self._marks.holds(id)

    def require_runnable(self, id: str, draft: Draft) -> None:
        """Check that code is no drill's. Raises Problem (409): it never runs, whoever approved it and how."""
        if self.is_drill(id) or sample_of(draft) is not None:
            raise Problem(409, f"{id} is the code of a drill, which never runs")

    async def ended(self, case: Case, by: Principal, outcome: DrillOutcome | None) -> dict[str, object]:
        """Keep what a reviewer answered, if one did, and return what the history records of the end.

        Raises:
            Problem: the answer cannot be kept.
        """
        nonce, sample = secrets.token_hex(16), sample_of(case.submission.draft)
        drill, what = (sample.name, sample.what) if sample else ("unknown", "Its sample is not known.")
        if outcome is not None:
            answer = DrillAnswer(submission=case.submission.id, at=datetime.now(UTC), drill=drill,
                                 what=what, outcome=outcome, nonce=nonce)  # fmt: skip
            await self._keep(by, answer)
        return {
            "drill": drill,
            "what": what,
            "answered": outcome is not None,
            "answer": _digest(nonce, by, outcome),
        }

    async def score(self, of: Principal) -> DrillScore:
        """Return how a reviewer answered drills."""
        if self._file is None or self._marks is None:
            return DrillScore()
        own = self._file.of(self._marks.pseudonym(of.identity))
        outcomes = [one.outcome for one in own]
        counts = {each.value: outcomes.count(each) for each in DrillOutcome}
        return DrillScore(answers=own[:MOST_TOLD], **counts)

    async def _keep(self, by: Principal, answer: DrillAnswer) -> None:
        if self._file is None or self._marks is None:
            return
        async with self._lock:
            kept = self._file.with_answer(self._marks.pseudonym(by.identity), answer)
            await asyncio.to_thread(answers.save, self._path, kept)
            self._file = kept


def _digest(nonce: str, by: Principal, outcome: DrillOutcome | None) -> str:
    """Return what shows later that an answer was this one, and tells nobody which one it was."""
    plain = f"{nonce} {by.identity} {outcome.value if outcome else 'unanswered'}"
    return hashlib.sha256(plain.encode()).hexdigest()
