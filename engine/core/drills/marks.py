"""What tells the engine, and nobody else, that a submission is a drill: its id holds a mark."""

from __future__ import annotations

import hashlib
import hmac

from engine.core.submissions.normalisation import CHANCE_BITS, id_of, parts_of

MARK_BYTES = CHANCE_BITS // 8


class DrillMarks:
    """Makes and recognises ids of drills: without the key they look like any other id."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def new_id(self, milliseconds: int) -> str:
        """Return the id of a drill that is submitted at a time."""
        return id_of(milliseconds, self._mark(milliseconds))

    def holds(self, id: str) -> bool:
        """Return whether an id is that of a drill."""
        parts = parts_of(id)
        return parts is not None and parts[1] == self._mark(parts[0])

    def pseudonym(self, identity: str) -> str:
        """Return what stands for a reviewer where answers are kept."""
        return hmac.new(self._key, f"reviewer {identity}".encode(), hashlib.sha256).hexdigest()

    def _mark(self, milliseconds: int) -> int:
        plain = f"drill {milliseconds}".encode()
        return int.from_bytes(hmac.new(self._key, plain, hashlib.sha256).digest()[:MARK_BYTES], "big")
