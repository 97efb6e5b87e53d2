"""Reduces what is granted: permissions can be left out, limits lowered, neither ever raised."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from console.safety.text import Text
from engine.common.text import Untrusted
from engine.models import Grant, Limits, Permissions

LOWEST = {"memory_mb": 64, "cpus": 0.1, "seconds": 1, "disk_mb": 1, "output_kb": 1, "processes": 1}
NAMED = ("domains", "packages", "files", "secrets", "builds")
"""The permissions that are lists."""
TITLES = {
    "memory_mb": ("memory", "MiB"),
    "cpus": ("CPU", "cores"),
    "seconds": ("time", "s"),
    "disk_mb": ("disk", "MiB"),
    "output_kb": ("output", "KiB"),
    "processes": ("processes", ""),
}


@dataclass(frozen=True)
class PermissionChoice:
    """One requested permission: `kind` names the field, `index` the item of it."""

    kind: str
    index: int
    title: Text
    granted: bool = True


@dataclass(frozen=True)
class LimitChoice:
    """One limit: the requested value, and the granted one."""

    name: str
    requested: float
    granted: float

    def adjusted(self, step: int) -> LimitChoice:
        """Return the limit halved (-1) or doubled (+1), never above the requested value."""
        value = self.granted / 2 if step < 0 else self.granted * 2
        value = min(self.requested, max(LOWEST[self.name], value))
        return replace(self, granted=value if self.name == "cpus" else float(int(value)))


Choice = PermissionChoice | LimitChoice


def grant_choices(requested: Permissions) -> tuple[Choice, ...]:
    """Return everything that can be granted."""
    permissions = [
        PermissionChoice(kind, index, _title(kind, each))
        for kind in NAMED
        for index, each in enumerate(getattr(requested, kind))
    ]
    if requested.session:
        permissions.append(PermissionChoice("session", 0, "a session that keeps its state"))
    limits = [
        LimitChoice(name, float(value), float(value)) for name, value in requested.limits.model_dump().items()
    ]
    return (*permissions, *limits)


def grant(requested: Permissions, chosen: tuple[Choice, ...]) -> Grant:
    """Return the grant of the permissions that are chosen, within the chosen limits."""
    kept = {(each.kind, each.index) for each in chosen if isinstance(each, PermissionChoice) and each.granted}
    parts = {
        kind: tuple(each for index, each in enumerate(getattr(requested, kind)) if (kind, index) in kept)
        for kind in NAMED
    }
    limits = {each.name: each.granted for each in chosen if isinstance(each, LimitChoice)}
    session = requested.session and ("session", 0) in kept
    return Grant(permissions=Permissions(**parts, limits=Limits(**limits), session=session))


def parse_grant(requested: Permissions, words: Iterable[str]) -> Grant | None:
    """Return the grant that `without=1,2` and `memory_mb=256` leave; None: all that was requested.

    Raises ValueError, with a message for the user, where a word is neither or a limit is above the request.
    """
    chosen, words = list(grant_choices(requested)), list(words)
    for word in words:
        name, _, value = word.partition("=")
        if name == "without":
            for number in numbers(value, len(chosen)):
                chosen[number] = _left_out(chosen[number])
        else:
            place = next(
                (at for at, each in enumerate(chosen) if isinstance(each, LimitChoice) and each.name == name),
                -1,
            )
            chosen[place] = _adjusted(chosen[place] if place >= 0 else None, value, word)
    return grant(requested, tuple(chosen)) if words else None


def numbers(said: str, count: int) -> list[int]:
    """Return `1,3` as indexes from 0. Raises ValueError where a number is not from 1 to `count`."""
    found = [int(each) - 1 if each.isdecimal() else -1 for each in said.split(",")]
    if any(not 0 <= number < count for number in found):
        raise ValueError(f"{said} is not a number from 1 to {count}")
    return found


def _left_out(choice: Choice) -> Choice:
    if isinstance(choice, LimitChoice):
        raise ValueError(f"{choice.name} is a limit: type {choice.name}=NUMBER")  # noqa: TRY004
    return replace(choice, granted=False)


def _adjusted(dial: Choice | None, value: str, word: str) -> LimitChoice:
    try:
        granted = float(value)
    except ValueError:
        granted = 0.0
    if not isinstance(dial, LimitChoice) or not 0 < granted <= dial.requested:
        raise ValueError(
            f"{word} is not valid: type without=NUMBERS, or a limit that is at most the requested one"
        )
    return replace(dial, granted=granted)


def _title(kind: str, each: object) -> Text:
    if kind == "packages":
        name, version, place = each.name, each.version, each.place  # type: ignore[attr-defined]
        return Untrusted(f"{name.text} {version.text}{f' in {place.text}' if place else ''}")
    return each  # type: ignore[return-value]
