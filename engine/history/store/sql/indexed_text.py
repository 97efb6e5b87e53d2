"""What of a stored content is in the index of texts."""

from __future__ import annotations

from engine.history.errors import HistoryError
from engine.history.store.sql import blobs

AT_ONCE = 16
"""How many contents are indexed in one transaction."""
BYTES = 1 << 16
"""So much of each is indexed."""
_IS_CODE = """EXISTS (
    SELECT 1 FROM blobs CROSS JOIN fact_values CROSS JOIN facts
    WHERE blobs.n = case_blobs.blob AND field = 'code.digest' AND fact_values.value = lower(hex(blobs.digest))
    AND facts.value = fact_values.id AND facts.case_n = case_blobs.case_n
)"""
ROLES = {"text": "", "code": f" AND {_IS_CODE}", "output": f" AND NOT {_IS_CODE}"}
"""Which of its contents each field looks at."""


def text_of(body: bytes) -> str:
    """Return the text of a stored content that is indexed: its beginning, nothing where it is not text."""
    try:
        content = blobs.unpack(body)[:BYTES]
    except HistoryError:
        return ""
    return "" if b"\x00" in content[:1024] else content.decode(errors="replace")
