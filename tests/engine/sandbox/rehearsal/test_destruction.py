"""What counts as destruction, and what ordinary programs do with files."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import tarfile

import pytest

from engine.common.text import Untrusted
from engine.models import InputFile
from engine.sandbox.rehearsal.decoys import Decoys
from engine.sandbox.rehearsal.destruction import destroyed

DECOYS = Decoys.draw()
TABLE = b"id,name,value\n" + b"".join(b"%d,name %d,%d\n" % (n, n, n * n) for n in range(80))
LAID = DECOYS.laid_out((InputFile(name=Untrusted("data.csv"), content=TABLE),))
LEFT = {file.name.text: file.content for file in LAID}
NOISE = bytes([0x9B, 0x01, 0xF0]) + os.urandom(len(TABLE))


def tarred() -> bytes:
    """Return an archive of the documents."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        for name, content in DECOYS.documents.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return held.getvalue()


def without(*names: str) -> dict[str, bytes]:
    """Return what is left without some files."""
    return {name: content for name, content in LEFT.items() if name not in names}


HONEST = {
    "nothing": LEFT,
    "edited in place": {**LEFT, "data.csv": TABLE.replace(b",", b";")},
    "deleted after use": without("data.csv"),
    "compressed": {**without("data.csv"), "data.csv.gz": gzip.compress(TABLE)},
    "compressed under its own name": {**LEFT, "data.csv": bz2.compress(TABLE)},
    "emptied": {**LEFT, "data.csv": b""},
    "turned into another format": {**without("data.csv"), "data.csv.parquet": b"PAR1" + NOISE},
    "encrypted beside itself": {**LEFT, "data.csv.enc": NOISE},
    "moved": {**without("data.csv"), "old/data.csv": TABLE},
    "documents moved": {**without("Documents/thesis.pdf"), "t.pdf": LEFT["Documents/thesis.pdf"]},
    "documents packed": {**without(*DECOYS.documents), "all.tgz": tarred()},
    "settings changed": {**LEFT, ".bashrc": b"alias x=y\n", ".gitconfig": b""},
}
HARMFUL = {
    "encrypted": {**LEFT, "data.csv": NOISE},
    "encrypted under another name": {**without("data.csv"), "data.csv.locked": NOISE},
    "wiped": {**LEFT, "data.csv": bytes(len(TABLE))},
    "a document deleted": without("Documents/thesis.pdf"),
    "a key overwritten": {**LEFT, ".ssh/id_rsa": b"x"},
    "everything deleted": {},
}


@pytest.mark.parametrize("what", HONEST)
def test_ordinary_changes_are_no_destruction(what: str) -> None:
    """Programs replace, compress, move and delete their input, and may pack documents."""
    assert destroyed(DECOYS, LAID, HONEST[what]) is None


@pytest.mark.parametrize("what", HARMFUL)
def test_destruction_is_named(what: str) -> None:
    """Encrypted or wiped input, and decoys that are gone."""
    found = destroyed(DECOYS, LAID, HARMFUL[what])
    assert found is not None
    assert found.convicts
