"""Reads the code in archives among the input files, within limits and without writing it anywhere."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, Any

from engine.analysis.file_kinds import Unreadable, language_of, suffix

MAX_MEMBERS = 500
"""How many files of a zip, and how many files of code of a tar, are looked at."""
_MAX_ENTRIES = 20_000
_MAX_UNPACKED = 64 * 1024 * 1024
_BLOCK = 512
_USTAR = slice(257, 262)
_BROKEN = (tarfile.TarError, EOFError, OSError, ValueError, lzma.LZMAError, zipfile.BadZipFile)

_PACKED: tuple[tuple[bytes, Callable[[IO[bytes]], Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\x00", lzma.open),
)

Member = tuple[str, bytes]
"""A name within an archive, and the content."""


def modules_in(content: bytes, limit: int) -> Iterator[Member]:
    """Yield the code in a zip, from which Python imports, or in a tar, each cut behind `limit` bytes.

    Raises:
        Unreadable: one cannot be read, or there is too much in it.
    """
    yield from _zipped(content, limit)
    tar = _unpacked(content)
    if tar is not None:
        yield from _tarred(tar, limit)


# --- tar ---


def _unpacked(content: bytes) -> bytes | None:
    """Return the tar that `content` is, decompressed, or None. Raises Unreadable where it is too large."""
    for magic, opened in _PACKED:
        if content.startswith(magic):
            try:
                with opened(io.BytesIO(content)) as stream:
                    head = stream.read(_BLOCK)
                    content = head + stream.read(_MAX_UNPACKED) if head[_USTAR] == b"ustar" else b""
            except (*_BROKEN, MemoryError):
                return None
    if content[_USTAR] != b"ustar":
        return None
    if len(content) > _MAX_UNPACKED:
        raise Unreadable("it unpacks to more than is read")
    return content


def _tarred(content: bytes, limit: int) -> Iterator[Member]:
    found = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for member in _bounded(archive):
                file = archive.extractfile(member) if member.isreg() else None
                source = file.read(limit + 1) if file is not None else b""
                if source and _is_code(member.name, source):
                    found += 1
                    yield _counted(found, member.name), source
    except Unreadable:
        raise
    except (*_BROKEN, RecursionError, OverflowError):
        raise Unreadable("it is an archive that cannot be read to its end") from None


def _bounded(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for number, member in enumerate(archive):
        if number >= _MAX_ENTRIES:
            raise Unreadable(f"an archive of more than {_MAX_ENTRIES:,} files")
        yield member


def _counted(found: int, name: str) -> str:
    if found > MAX_MEMBERS:
        raise Unreadable(f"an archive of more than {MAX_MEMBERS:,} files of code")
    return name


def _is_code(name: str, source: bytes) -> bool:
    try:
        return language_of(name, source) is not None
    except Unreadable:
        return True


# --- zip ---


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise Unreadable(f"an archive of {len(members):,} files")
    return members


def _zipped(content: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield the modules in a zip, from which Python imports, each cut behind `limit` bytes.

    Raises:
        Unreadable: one cannot be read, or there are too many files.
    """
    if b"PK\x05\x06" not in content:
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in _members(archive):
                if suffix(member.filename) in {".py", ".pyc", ".pyo"}:
                    with archive.open(member) as file:
                        yield member.filename, file.read(limit + 1)
    except Unreadable:
        raise
    except (zipfile.BadZipFile, OSError, RuntimeError, ValueError, NotImplementedError, EOFError):
        raise Unreadable("it is an archive that cannot be read to its end") from None
    except Exception as error:
        raise Unreadable(f"it is an archive that breaks its reader ({type(error).__name__})") from None
