"""Records whose texts were erased: what is left has to be what a later record says."""

from __future__ import annotations

from engine.history.chain import chain
from engine.history.store.sql import blobs
from engine.history.verify.source import HistorySource, Row


class ErasedRecords:
    """The records whose texts were erased, as records say; read again where one is not known yet."""

    def __init__(self, source: HistorySource) -> None:
        self._source = source
        self._digests = source.erased_records()

    def __contains__(self, seq: int) -> bool:
        return seq in self._digests

    def is_left(self, row: Row) -> bool:
        """Return whether a record is exactly what an erasure left of it."""
        return self._fits(row) or self._fits_now(row)

    def _fits_now(self, row: Row) -> bool:
        """Look again: it may have been erased since the reading began."""
        self._digests = self._source.erased_records()
        return self._fits(row)

    def _fits(self, row: Row) -> bool:
        expected = self._digests.get(row[0])
        return expected is not None and blobs.digest_of(chain.json_of(*row[:7])) == expected
