"""Turns drafts into submissions, and adds the permissions that they imply."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.submissions.canonical import digest
from engine.models import Analysis, Draft, OperationKind, Principal, Submission
from engine.sandbox.api.file_names import safe_name

CHANCE_BITS = 40
MOST_LETTERS = 32
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def create_submission(draft: Draft, requester: Principal, original: Draft, id: str = "") -> Submission:
    """Return the submission of a draft that asks for its files, and that came as `original_digest`."""
    return Submission(
        id=id or _new_id(),
        draft=draft,
        requester=requester,
        submitted_at=datetime.now(UTC),
        digest=digest(draft, requester),
        original_digest=None if original == draft else digest(original, requester),
    )


def revived_submission(expired: Submission, id: str = "") -> Submission:
    """Return a new submission of the same draft by the same requester: its digest is the same."""
    return Submission(
        id=id or _new_id(),
        draft=expired.draft,
        requester=expired.requester,
        submitted_at=datetime.now(UTC),
        digest=expired.digest,
        original_digest=expired.original_digest,
        revives=expired.id,
    )


def add_implied_permissions(draft: Draft) -> Draft:
    """Return the draft with its input files and its session among the requested permissions.

    Raises:
        Problem: one leads out of the workspace, two of them cannot lie beside each other, or a tool call
            carries what it does not say.
    """
    _as_one_call(draft)
    names = tuple(file.name for file in draft.files)
    if len(set(names)) != len(names):
        raise Problem(422, "two input files have the same name")
    folders = {parent for name in names for parent in _workspace_path(name).parents}
    if both := next((name for name in names if _workspace_path(name) in folders), None):
        raise Problem(422, f"input file {visible(both)} is a folder of another one")
    return draft.with_permissions(draft.permissions.with_inputs(names, session=bool(draft.session)))


def _as_one_call(draft: Draft) -> None:
    """Hold a tool call to what it says: it carries no code, and only a write carries a file, its own."""
    call = draft.operation
    if call is None:
        return
    if draft.code.text:
        raise Problem(422, "a tool call carries no code", hint="Submit the code by itself.")
    own = (call.path,) if call.kind is OperationKind.WRITE else ()
    if own != tuple(file.name for file in draft.files):
        raise Problem(422, "a write carries one file, that of its path, and no other tool call carries any")


def _workspace_path(name: Untrusted) -> PurePosixPath:
    try:
        return safe_name(name)
    except ValueError as error:
        raise Problem(422, f"input file {visible(name)[:200] or '(no name)'}: {error}") from None


def submission_payload(submission: Submission) -> dict[str, Any]:
    """Return what is recorded about a submission that came in."""
    draft = submission.draft
    facts: dict[str, Any] = {
        "digest": submission.digest,
        "language": draft.language.value,
        "bytes": len(draft.code.text.encode()),
        "purpose": draft.purpose.text,
        "permissions": draft.permissions.model_dump(mode="json"),
    }
    if submission.original_digest:
        facts["original_digest"] = submission.original_digest
    if draft.session:
        facts["session"] = draft.session
    if draft.revises:
        facts["revises"] = draft.revises
    if submission.revives:
        facts["revives"] = submission.revives
    if draft.operation:
        facts["operation"] = {"kind": draft.operation.kind.value, "path": draft.operation.path.text}
    return facts


def analysis_payload(analysis: Analysis) -> dict[str, Any]:
    """Return what is recorded about an analysis."""
    rules = sorted({violation.rule for violation in analysis.violations})
    return {"rules": rules, "complete": analysis.complete, "seconds": analysis.seconds}


def _new_id() -> str:
    """Return an id that sorts by time: milliseconds, then 40 bits of chance. The history overwrites none."""
    return id_of(time.time_ns() // 1_000_000, secrets.randbits(CHANCE_BITS))


def id_of(milliseconds: int, chance: int) -> str:
    """Return the id that is made of a time and of `CHANCE_BITS` bits."""
    number = milliseconds << CHANCE_BITS | chance
    letters = ""
    while number:
        number, digit = divmod(number, 32)
        letters = _DIGITS[digit] + letters
    return f"s-{letters}"


def parts_of(id: str) -> tuple[int, int] | None:
    """Return the time and the bits that an id is made of; None where it is none of ours."""
    letters = id.removeprefix("s-")
    if letters == id or len(letters) > MOST_LETTERS or not set(letters) <= set(_DIGITS):
        return None
    number = 0
    for letter in letters:
        number = number * 32 + _DIGITS.index(letter)
    return number >> CHANCE_BITS, number & ((1 << CHANCE_BITS) - 1)
