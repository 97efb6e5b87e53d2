"""The canonical form of a submission, and the digest that a decision is bound to."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785

from engine.models import Draft, InputFile, Principal


def digest(draft: Draft, requester: Principal) -> str:
    """Return the SHA-256 of the canonical JSON (RFC 8785) of a draft and its requester, in hexadecimal."""
    return hashlib.sha256(rfc8785.dumps(canonical(draft, requester))).hexdigest()


def canonical(draft: Draft, requester: Principal) -> dict[str, Any]:
    """Return what the digest covers: the code as text, each input file by its own SHA-256, and the rest."""
    plain = draft.model_dump(mode="json", exclude={"files"})
    named = {"requester": requester.name.text} | ({"principal": requester.id} if requester.id else {})
    return {**plain, "files": [_file(file) for file in draft.files], **named}


def _file(file: InputFile) -> dict[str, str]:
    return {"name": file.name.text, "sha256": hashlib.sha256(file.content).hexdigest()}
