"""Finds the popular name that a name is one edit away from."""

from __future__ import annotations

from collections.abc import Collection


def shortened(name: str) -> list[str]:
    """Return a name with each one of its letters left out."""
    return [name[:index] + name[index + 1 :] for index in range(len(name))]


class TyposquatIndex:
    """Finds the imitated name. Names of less than five letters are too close to each other."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)
        self._shortened = {short: known for known in sorted(names) for short in shortened(known)}

    def imitated(self, name: str) -> str | None:
        """Return the name that a lower-case one is one slip away from, or None."""
        if len(name) < 5 or name in self._names:
            return None
        near = [self._shortened.get(short) for short in (name, *shortened(name))]
        near += [short for short in shortened(name) if short in self._names]
        return next(
            (known for known in near if known and len(known) >= 5 and one_edit_apart(name, known)), None
        )


def one_edit_apart(left: str, right: str) -> bool:
    """One letter more, less, changed, or two swapped; a digit at the end is a version, not a slip."""
    if abs(len(left) - len(right)) > 1 or left == right or left.rstrip("0123456789") == right:
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    a, b = left[start:], right[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:] and len(a) > 1)
