"""What the files before and after a run say about calls whose targets the kernel does not tell. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from engine.common.text import Untrusted
from engine.models.observed import Basis, ObservedEffect, ObservedKind

_WORKSPACE = "/workspace/"
_MOST = 100
_REMOVING = {ObservedKind.DELETE, ObservedKind.RENAME}


def derived(
    effects: Iterable[ObservedEffect], before: Iterable[str], after: Iterable[str]
) -> tuple[ObservedEffect, ...]:
    """Return which files of the workspace vanished or appeared by another way than being written.

    `before` and `after` are the names in the workspace. It is told only where a call was observed that
    explains it, and numbers follow those of the effects.
    """
    known = tuple(effects)
    calls = {one.kind for one in known if one.count > one.refused}
    present = {_WORKSPACE + name for name in after}
    written = {one.target.text for one in known if _succeeded(one, ObservedKind.WRITE)}
    there = {_WORKSPACE + name for name in before} | written
    gone = sorted(path for path in there - present if path.startswith(_WORKSPACE))
    fresh = sorted(present - there)
    number = max((one.number for one in known), default=0)
    found = list(_explained(calls, gone, fresh))[:_MOST]
    last = max((one.last for one in known if one.kind in _REMOVING), default=0.0)
    return tuple(
        ObservedEffect(
            number=number + 1 + index,
            kind=kind,
            target=Untrusted(path),
            basis=Basis.LISTING,
            detail=Untrusted(detail),
            first=last,
            last=last,
        )
        for index, (kind, path, detail) in enumerate(found)
    )


def _succeeded(effect: ObservedEffect, kind: ObservedKind) -> bool:
    return effect.kind is kind and effect.count > effect.refused


def _explained(
    calls: set[ObservedKind], gone: list[str], fresh: list[str]
) -> Iterable[tuple[ObservedKind, str, str]]:
    renamed, deleted = ObservedKind.RENAME in calls, ObservedKind.DELETE in calls
    if renamed and len(gone) == 1 and len(fresh) == 1 and not deleted:
        yield ObservedKind.RENAME, gone[0], f"is now {fresh[0]}"
        return
    for path in gone:
        if renamed and deleted:
            yield ObservedKind.DELETE, path, "deleted or renamed"
        elif renamed or deleted:
            yield (ObservedKind.RENAME if renamed else ObservedKind.DELETE), path, "is no longer there"
    if renamed or ObservedKind.LINK in calls:
        for path in fresh:
            yield (ObservedKind.RENAME if renamed else ObservedKind.LINK), path, "appeared by another name"
