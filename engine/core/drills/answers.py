"""The private file of drills: the key of their marks, and what reviewers answered."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, ValidationError

from engine.common import log
from engine.common.errors import Problem
from engine.common.local_files import read_file, write_private
from engine.models.base import FrozenModel
from engine.models.past_decisions import DrillAnswer

MOST_BYTES = 16 << 20
MOST_KEPT = 5000
"""So many answers are kept, the latest ones."""


class _Kept(FrozenModel):
    reviewer: str
    """A pseudonym: whoever reads the file learns no name."""
    answer: DrillAnswer


class DrillFile(FrozenModel):
    """What the file holds."""

    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    answers: tuple[_Kept, ...] = ()

    def with_answer(self, reviewer: str, answer: DrillAnswer) -> DrillFile:
        """Return it with one more answer, in place of an earlier one about the same submission."""
        others = tuple(one for one in self.answers if one.answer.submission != answer.submission)
        kept = (*others, _Kept(reviewer=reviewer, answer=answer))[-MOST_KEPT:]
        return self._with(answers=kept)

    def of(self, reviewer: str) -> tuple[DrillAnswer, ...]:
        """Return the answers of a reviewer, the latest first."""
        return tuple(one.answer for one in reversed(self.answers) if one.reviewer == reviewer)


def load(path: Path, *, create: bool) -> DrillFile | None:
    """Return what the file holds, made where it is wanted; None where there is none, or it cannot be read."""
    try:
        return DrillFile.model_validate_json(read_file(path, MOST_BYTES))
    except FileNotFoundError:
        return _made(path) if create else None
    except (OSError, ValidationError) as error:
        log.warning("drills.unreadable", file=str(path), reason=type(error).__name__)
        return None


def _made(path: Path) -> DrillFile | None:
    made = DrillFile(key=secrets.token_hex(32))
    try:
        save(path, made)
    except Problem:
        return None
    return made


def save(path: Path, file: DrillFile) -> None:
    """Put the file in place. Raises Problem (503)."""
    try:
        write_private(path, file.model_dump_json().encode())
    except OSError as error:
        raise Problem(503, f"{path} cannot be written: {error.strerror}", hint="Look at: df -h") from None


def drills_made_of(file: DrillFile) -> Mapping[str, int]:
    """Return how often each sample was answered."""
    counts: dict[str, int] = {}
    for one in file.answers:
        counts[one.answer.drill] = counts.get(one.answer.drill, 0) + 1
    return counts
