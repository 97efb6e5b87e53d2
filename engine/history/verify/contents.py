"""Whether the code, the files and the output that records refer to are still what they were."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from engine.history.errors import HistoryError
from engine.history.store.sql import blobs
from engine.history.verify.source import HistorySource

KEPT = 1 << 16
"""How many intact digests are remembered."""
TOGETHER = 200
"""Digests that one query looks up: half the time of one query for each."""
_DIGEST = re.compile("[0-9a-f]{64}")


class Contents:
    """Looks each digest up once, or not much more often. Contents erased by retention are no problem."""

    def __init__(self, source: HistorySource) -> None:
        self._source = source
        self._erased = source.erased()
        self._intact: set[str] = set()

    def problems(self, digests: Iterable[str]) -> dict[str, str]:
        """Return those of these digests that are not as they should be, with what is wrong.

        That is `changed`, `removed` or `erased without a record`.
        """
        found: dict[str, str] = {}
        unknown = iter(set(digests) - self._intact)
        while some := list(islice(unknown, TOGETHER)):
            found |= self._looked_up(some)
        return found

    def _looked_up(self, digests: list[str]) -> dict[str, str]:
        found = dict.fromkeys(digests, "removed")
        for digest, body in self._bodies(digests):
            if problem := self._problem(digest, body):
                found[digest] = problem
            else:
                del found[digest]
                self._intact.add(digest)
        if len(self._intact) > KEPT:
            self._intact.clear()
        return found

    def _bodies(self, digests: list[str]) -> Iterator[tuple[str, bytes | None]]:
        keys = [bytes.fromhex(digest) for digest in digests if _DIGEST.fullmatch(digest)]
        for key, body in self._source.contents(keys):
            yield key.hex(), body

    def _problem(self, digest: str, body: bytes | None) -> str:
        if body is None:
            return "" if self._was_erased(digest) else "erased without a record"
        try:
            return "" if blobs.digest_of(blobs.unpack(body)) == digest else "changed"
        except HistoryError:
            return "changed"

    def _was_erased(self, digest: str) -> bool:
        if digest not in self._erased:  # it may have been since the reading began
            self._erased = self._source.erased()
        return digest in self._erased
