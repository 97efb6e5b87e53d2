"""Undoes encodings and compression of bytes that code sent. Pure and bounded: the bytes are hostile."""

from __future__ import annotations

import base64
import binascii
import bz2
import contextlib
import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

MOST_BYTES = 96 * 1024
"""How much of one piece is looked at, before and after each step."""
_DEPTH = 4
_MOST_LAYERS = 48
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{20,}={0,2}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){12,}")
_SPACE = re.compile(rb"[\s\"',;]+")
_MAGIC = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"PK\x03\x04", "zip"))
_MOST_PLACES = 4


def layers(data: bytes) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Yield the data and what it becomes by undoing one layer after the other, with their names."""
    waiting: list[tuple[tuple[str, ...], bytes]] = [((), data)]
    seen: set[bytes] = set()
    budget = MOST_BYTES * 4
    while waiting and len(seen) < _MOST_LAYERS and budget > 0:
        how, piece = waiting.pop(0)
        if piece in seen:
            continue
        seen.add(piece)
        budget -= len(piece)
        yield how, piece
        if len(how) < _DEPTH:
            waiting += (((*how, name), undone[:MOST_BYTES]) for name, undone in _undo(piece) if undone)


def _undo(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield from _decompressed(data)
    if b"%" in data:
        yield "url-encoding", unquote_to_bytes(data.replace(b"+", b" "))
    if b"\\" in data:
        yield "JSON", _unescaped(data)
    for run in _longest(_HEX, data):
        with contextlib.suppress(ValueError):
            yield "hex", bytes.fromhex(run.decode())
    for run in _longest(_BASE64, data):
        yield from _base64(run)
    folded = _SPACE.sub(b"", data)
    if folded != data and len(folded) > 20:
        yield "pieces", folded
    yield from _base85(data)


def _longest(pattern: re.Pattern[bytes], data: bytes) -> list[bytes]:
    found = sorted(pattern.findall(data), key=len, reverse=True)
    return found[:_MOST_PLACES]


def _base64(run: bytes) -> Iterator[tuple[str, bytes]]:
    text = run.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    text = text[: len(text) - (len(text) % 4 == 1)]
    for name, one in (("base64", text), ("reversed base64", text[::-1])):
        with contextlib.suppress(binascii.Error, ValueError):
            yield name, base64.b64decode(one + b"=" * (-len(one) % 4))


def _base85(data: bytes) -> Iterator[tuple[str, bytes]]:
    text = max(data.split(), key=len, default=b"")
    if len(text) > 24:
        for decode in (base64.b85decode, base64.a85decode):
            with contextlib.suppress(ValueError):
                yield "base85", decode(text)


def _unescaped(data: bytes) -> bytes:
    text = data.decode("latin-1")
    with contextlib.suppress(ValueError):
        return json.dumps(json.loads(text), ensure_ascii=False).encode(errors="replace")
    return re.sub(rb"\\x([0-9a-fA-F]{2})", lambda match: bytes.fromhex(match[1].decode()), data)


def _decompressed(data: bytes) -> Iterator[tuple[str, bytes]]:
    for magic, name in _MAGIC:
        at = data.find(magic)
        if at >= 0:
            yield name, _inflated(name, data[at:])
    for at in _zlib_starts(data):
        yield "zlib", _inflated("zlib", data[at:])


def _zlib_starts(data: bytes) -> list[int]:
    starts = (match.start() for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data))
    return [at for at, _ in zip(starts, range(_MOST_PLACES), strict=False)]


def _inflated(name: str, data: bytes) -> bytes:
    with contextlib.suppress(zlib.error, OSError, EOFError, ValueError, lzma.LZMAError, zipfile.BadZipFile,
                             RuntimeError, NotImplementedError, KeyError, IndexError):  # fmt: skip
        match name:
            case "gzip":
                return zlib.decompressobj(31).decompress(data, MOST_BYTES)
            case "zlib":
                return zlib.decompressobj().decompress(data, MOST_BYTES)
            case "bzip2":
                return bz2.BZ2Decompressor().decompress(data, MOST_BYTES)
            case "xz":
                return lzma.LZMADecompressor(memlimit=64 << 20).decompress(data, MOST_BYTES)
            case _:
                return _unzipped(data)
    return b""


def _unzipped(data: bytes) -> bytes:
    """Return the beginnings of the files of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        pieces: list[bytes] = []
        for entry in archive.infolist()[:32]:
            with archive.open(entry) as file:
                pieces.append(file.read(MOST_BYTES // 32))
    return b"\n".join(pieces)
