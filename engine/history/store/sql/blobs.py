"""Code, files and output by their SHA-256: compressed, and kept once however often they occur."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from functools import partial

import zstandard

from engine.history.errors import HistoryError
from engine.history.store.sql.connection import SqlConnection


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of `content` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


class _Zstd(threading.local):
    """What compresses, for each thread its own: to make one costs more than to use it."""

    def __init__(self) -> None:
        self.pack = zstandard.ZstdCompressor(level=3).compress
        self.unpack = partial(zstandard.ZstdDecompressor().decompress, allow_extra_data=False)


_zstd = _Zstd()


def pack(content: bytes) -> bytes:
    """Return `content` compressed with zstd."""
    return _zstd.pack(content)


def unpack(body: bytes) -> bytes:
    """Return what `pack` was given.

    Raises:
        HistoryError: it is damaged.
    """
    try:
        return _zstd.unpack(body)
    except zstandard.ZstdError:
        raise HistoryError("A stored text is damaged", hint="Type: pratique audit verify") from None


def put(connection: SqlConnection, content: bytes, digest: str, at: str) -> int:
    """Keep `content` and return its number in the table; what was erased and comes again is kept anew."""
    key = bytes.fromhex(digest)
    row = connection.execute("SELECT n, body IS NULL FROM blobs WHERE digest = ?", (key,)).fetchone()
    if row and not row[1]:
        return int(row[0])
    body = pack(content)
    if row:
        connection.execute("DELETE FROM blobs WHERE n = ?", (row[0],))
    (number,) = connection.execute(
        "INSERT INTO blobs (n, digest, body, stored, at) "
        "VALUES ((SELECT coalesce(max(n), 0) + 1 FROM blobs), ?, ?, ?, ?) RETURNING n",
        (key, body, len(body), at),
    ).fetchone()
    if row:
        connection.execute("UPDATE case_blobs SET blob = ? WHERE blob = ?", (number, row[0]))
    return int(number)


def get(connection: SqlConnection, digest: str) -> bytes | None:
    """Return the content with this digest, or None where retention has erased it.

    Raises:
        HistoryError: there never was any, or what is there has another digest.
    """
    row = connection.execute("SELECT body FROM blobs WHERE digest = ?", (bytes.fromhex(digest),)).fetchone()
    if row is None:
        raise HistoryError(
            f"The text with the digest {digest} is missing", hint="Type: pratique audit verify"
        )
    if row[0] is None:
        return None
    content = unpack(row[0])
    if digest_of(content) != digest:
        raise HistoryError(
            f"The text with the digest {digest} was changed", hint="Type: pratique audit verify"
        )
    return content


def use(connection: SqlConnection, case: int, blobs: Iterable[int]) -> None:
    """Note that the case with this number refers to these blobs."""
    connection.executemany(
        "INSERT INTO case_blobs (blob, case_n) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(blob, case) for blob in blobs],
    )
