"""From a draft to a submission."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from typing import Any

from engine.models import Analysis, Draft, Principal, Submission
from engine.problem import Problem
from engine.service.canonical import digest


def submission_of(draft: Draft, requester: Principal) -> Submission:
    """Return the submission of a draft that asks for its files."""
    return Submission(
        id=_new_id(),
        draft=draft,
        requester=requester,
        submitted_at=datetime.now(UTC),
        digest=digest(draft, requester),
    )


def asking_for_its_files(draft: Draft) -> Draft:
    """Return the draft with its input files among what it asks for: handing one in is asking for it.

    Raises:
        Problem: two of them have the same name.
    """
    names = tuple(file.name for file in draft.files)
    if len(set(names)) != len(names):
        raise Problem(422, "two input files have the same name")
    return draft.model_copy(update={"capabilities": draft.capabilities.model_copy(update={"files": names})})


def facts_of(submission: Submission) -> dict[str, Any]:
    """Return what is recorded about a submission that came in."""
    draft = submission.draft
    return {
        "digest": submission.digest,
        "language": draft.language.value,
        "bytes": len(draft.code.text.encode()),
        "purpose": draft.purpose.text,
        "capabilities": draft.capabilities.model_dump(mode="json"),
    }


def found_in(analysis: Analysis) -> dict[str, Any]:
    """Return what is recorded about an analysis."""
    rules = sorted({violation.rule for violation in analysis.violations})
    return {"rules": rules, "complete": analysis.complete, "seconds": analysis.seconds}


def _new_id() -> str:
    """Return an id that sorts by time and is short enough to type: time, then three characters of chance."""
    number = (time.time_ns() // 1_000_000) * 32**3 + secrets.randbelow(32**3)
    letters = ""
    while number:
        number, digit = divmod(number, 32)
        letters = "0123456789abcdefghjkmnpqrstvwxyz"[digit] + letters
    return f"s-{letters}"
