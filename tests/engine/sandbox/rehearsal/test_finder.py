"""Decoys are found in what was sent, however it was hidden, and nowhere else."""

from __future__ import annotations

import base64
import bz2
import codecs
import gzip
import io
import json
import lzma
import random
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sandbox.rehearsal.decoding import MOST_BYTES, layers
from engine.sandbox.rehearsal.decoys import Decoys
from engine.sandbox.rehearsal.finder import DecoyFinder

DECOYS = Decoys.draw()
FINDER = DecoyFinder(DECOYS.values)
KEY = DECOYS.values["AWS key"][1].encode()
TEXT = json.dumps({"host": "build", "AWS_SECRET_ACCESS_KEY": KEY.decode()}).encode()


def zipped(data: bytes) -> bytes:
    """Return an archive that contains the data."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("loot.txt", data)
    return file.getvalue()


def tarred(data: bytes) -> bytes:
    """Return a compressed archive that contains the data."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        entry = tarfile.TarInfo("loot")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return file.getvalue()


HIDINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "base64": base64.b64encode,
    "base64 in a query": lambda data: b"d=" + quote(base64.b64encode(data)).encode(),
    "base64 for addresses": base64.urlsafe_b64encode,
    "base64 twice": lambda data: base64.b64encode(base64.b64encode(data)),
    "base64, reversed": lambda data: base64.b64encode(data)[::-1],
    "base64 of what is reversed": lambda data: base64.b64encode(data[::-1]),
    "base32": base64.b32encode,
    "base85": base64.b85encode,
    "hex": lambda data: data.hex().encode(),
    "hex with colons": lambda data: data.hex(":").encode(),
    "decimal": lambda data: str(list(data)).encode(),
    "gzip": gzip.compress,
    "gzip in base64 in JSON": lambda data: b'{"d": "%b"}' % base64.b64encode(gzip.compress(data)),
    "zlib in hex": lambda data: zlib.compress(data).hex().encode(),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped,
    "tar and gzip": tarred,
    "reversed": lambda data: data[::-1],
    "rot13": lambda data: codecs.encode(data.decode(), "rot13").encode(),
    "one byte combined with all": lambda data: bytes(byte ^ 0x5A for byte in data),
    "percent": lambda data: "".join(f"%{byte:02x}" for byte in data).encode(),
    "UTF-16": lambda data: data.decode().encode("utf-16-le"),
    "spaces between": lambda data: b" ".join(bytes([byte]) for byte in data),
    "escapes": lambda data: "".join(f"\\x{byte:02x}" for byte in data).encode(),
}  # fmt: skip


@pytest.mark.parametrize("hiding", HIDINGS)
def test_a_hidden_decoy_is_found(hiding: str) -> None:
    """Each usual encoding and compression, and combinations of them."""
    assert {"AWS key"} == {found.subject for found in FINDER.find(HIDINGS[hiding](TEXT))}


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=40), st.binary(max_size=40), st.sampled_from(sorted(HIDINGS)))
def test_it_is_found_wherever_it_stands(before: bytes, after: bytes, hiding: str) -> None:
    """What stands around a secret shifts its encoding; the finder looks for every shift."""
    around = before.hex().encode() + b" " + KEY + b" " + after.hex().encode()
    assert FINDER.find(HIDINGS[hiding](around))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=4000))
def test_no_bytes_break_it_or_look_like_a_decoy(data: bytes) -> None:
    """Whatever is sent."""
    assert () == FINDER.find(data)


@pytest.mark.parametrize("hiding", HIDINGS)
def test_the_decoys_of_another_rehearsal_are_not_found(hiding: str) -> None:
    """They are drawn anew each time."""
    other = json.dumps(dict(Decoys.draw().environment)).encode()
    assert () == FINDER.find(HIDINGS[hiding](other))


def test_what_is_undone_is_bounded() -> None:
    """Neither a bomb nor a nest of layers takes much memory."""
    bomb = zlib.compress(bytes(50_000_000))
    assert MOST_BYTES >= max(len(layer) for _, layer in layers(bomb))
    nest = TEXT
    for _ in range(12):
        nest = base64.b64encode(nest)
    noise = random.Random(7).randbytes(MOST_BYTES)  # noqa: S311
    assert 48 >= max(sum(1 for _ in layers(data[:MOST_BYTES])) for data in (nest, noise, b"ab" * MOST_BYTES))
