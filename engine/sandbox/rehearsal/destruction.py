"""What was destroyed: decoys that are gone, and input files that were made unreadable. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from engine.common.text import Untrusted, visible
from engine.models import InputFile
from engine.models.rehearsal import FindingKind, RehearsalFinding
from engine.sandbox.rehearsal.decoding import MOST_BYTES, layers
from engine.sandbox.rehearsal.decoys import Decoys

_SMALLEST = 64
"""Bytes of an input file that is judged: of less, nothing can be said."""
_MOST_UNDONE = 20
"""How many files are looked into for what was packed."""
_MAGIC = (b"\x1f\x8b", b"\xff\xd8\xff", b"\x28\xb5\x2f\xfd")
_LETTERS = re.compile(rb"[A-Za-z]{3}")
"""Most formats begin with their name."""


def destroyed(
    decoys: Decoys, laid: Sequence[InputFile], left: Mapping[str, bytes]
) -> RehearsalFinding | None:
    """Return what was destroyed of the files that were laid out, or None."""
    before = {file.name.text: file.content for file in laid}
    packed = _packed(before, left)
    return _decoys_gone(decoys, before, left, packed) or _inputs_unreadable(decoys, before, left, packed)


def _decoys_gone(
    decoys: Decoys, before: Mapping[str, bytes], left: Mapping[str, bytes], packed: set[bytes]
) -> RehearsalFinding | None:
    """Say which decoys are neither where they were, nor anywhere else, nor part of what is there."""
    known = {name: content for name, content in decoys.placed.items() if before.get(name) == content}
    gone = [
        name
        for name, content in known.items()
        if decoys.is_precious(name) and content not in packed and content not in left.get(name, b"")
    ]
    if not gone:
        return None
    how = "deleted" if all(name not in left for name in gone) else "overwritten"
    return _finding(f"~/{gone[0]}", len(gone), how)


def _inputs_unreadable(
    decoys: Decoys, before: Mapping[str, bytes], left: Mapping[str, bytes], packed: set[bytes]
) -> RehearsalFinding | None:
    """Say that all input files are gone, and that one at least was encrypted or wiped in its place.

    Ordinary programs replace, compress and delete their input: none of this is enough.
    """
    given = {name: one for name, one in before.items() if decoys.placed.get(name) != one}
    judged = {name: one for name, one in given.items() if len(one) >= _SMALLEST}
    if not judged or any(one in packed for one in judged.values()):
        return None
    unreadable = [name for name, one in judged.items() if _is_unreadable(name, one, left)]
    others = set(judged) - set(unreadable)
    if not unreadable or any(name in left for name in others):
        return None
    name = visible(unreadable[0])[:200]
    return _finding(f"the input file {name}", len(judged), "encrypted or wiped")


def _is_unreadable(name: str, content: bytes, left: Mapping[str, bytes]) -> bool:
    """Return whether a file was replaced, under its name or a longer one, by noise or one byte."""
    places = [each for each in left if each == name or each.startswith(f"{name}.")]
    return any(
        len(left[each]) >= len(content) and (_is_noise(left[each]) or len(set(left[each])) == 1)
        for each in places
    ) and not _is_noise(content)


def _is_noise(data: bytes) -> bool:
    """Return whether bytes are as good as random, and do not begin as files of a known format do."""
    if data.startswith(_MAGIC) or _LETTERS.search(data[:8]):
        return False
    sample = data[:MOST_BYTES]
    expected = 256 * (1 - (255 / 256) ** len(sample))
    high = sum(byte >= 0x80 for byte in sample)
    return len(set(sample)) >= 0.9 * expected and high >= 0.35 * len(sample)


def _packed(before: Mapping[str, bytes], left: Mapping[str, bytes]) -> set[bytes]:
    """Return the contents that are still there: as files, or packed in new ones."""
    contents = {one for one in before.values() if one}
    still = contents & set(left.values())
    fresh = [one for name, one in left.items() if before.get(name) != one and len(one) <= MOST_BYTES]
    for one in fresh[:_MOST_UNDONE]:
        for _, layer in layers(one):
            still |= {content for content in contents - still if content in layer}
    return still


def _finding(subject: str, count: int, how: str) -> RehearsalFinding:
    more = f" and {count - 1} more" if count > 1 else ""
    return RehearsalFinding(kind=FindingKind.DESTROYED, subject=f"{subject}{more}", where=Untrusted(how))
