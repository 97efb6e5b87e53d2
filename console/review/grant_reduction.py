"""Giving less than was asked: every capability as a switch, every limit as a dial that only turns down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from console.safety.text import Text
from engine.common.text import Untrusted
from engine.models import Grant, Limits, Permissions

LOWEST = {"memory_mb": 64, "cpus": 0.1, "seconds": 1, "disk_mb": 1, "output_kb": 1, "processes": 1}
NAMED = ("domains", "packages", "files", "secrets", "builds")
"""The kinds of capability that are lists."""
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
    """One thing that was asked for: `kind` names the field, `index` its place in it."""

    kind: str
    index: int
    title: Text
    given: bool = True


@dataclass(frozen=True)
class LimitChoice:
    """One limit: what was asked for, and what is given."""

    name: str
    asked: float
    given: float

    def turned(self, step: int) -> LimitChoice:
        """Return the dial halved (-1) or doubled (+1), never above what was asked."""
        value = self.given / 2 if step < 0 else self.given * 2
        value = min(self.asked, max(LOWEST[self.name], value))
        return replace(self, given=value if self.name == "cpus" else float(int(value)))


Choice = PermissionChoice | LimitChoice


def grant_choices(asked: Permissions) -> tuple[Choice, ...]:
    """Return everything that can be given, or not."""
    switches = [
        PermissionChoice(kind, index, _title(kind, each))
        for kind in NAMED
        for index, each in enumerate(getattr(asked, kind))
    ]
    if asked.session:
        switches.append(PermissionChoice("session", 0, "a sandbox that stays between runs"))
    dials = [
        LimitChoice(name, float(value), float(value)) for name, value in asked.limits.model_dump().items()
    ]
    return (*switches, *dials)


def grant(asked: Permissions, chosen: tuple[Choice, ...]) -> Grant:
    """Return the grant of what is switched on, within the limits as they are turned."""
    kept = {(each.kind, each.index) for each in chosen if isinstance(each, PermissionChoice) and each.given}
    parts = {
        kind: tuple(each for index, each in enumerate(getattr(asked, kind)) if (kind, index) in kept)
        for kind in NAMED
    }
    dials = {each.name: each.given for each in chosen if isinstance(each, LimitChoice)}
    session = asked.session and ("session", 0) in kept
    return Grant(permissions=Permissions(**parts, limits=Limits(**dials), session=session))


def parse_grant(asked: Permissions, words: Iterable[str]) -> Grant | None:
    """Return the grant that `without=1,2` and `memory_mb=256` leave; None: all that was asked for.

    Raises ValueError, in words for people, where a word says neither or a limit is more than was asked.
    """
    chosen, words = list(grant_choices(asked)), list(words)
    for word in words:
        name, _, value = word.partition("=")
        if name == "without":
            for number in numbers(value, len(chosen)):
                chosen[number] = _without(chosen[number])
        else:
            place = next(
                (at for at, each in enumerate(chosen) if isinstance(each, LimitChoice) and each.name == name),
                -1,
            )
            chosen[place] = _turned(chosen[place] if place >= 0 else None, value, word)
    return grant(asked, tuple(chosen)) if words else None


def numbers(said: str, count: int) -> list[int]:
    """Return `1,3` as places counted from 0. Raises ValueError where one is not from 1 to `count`."""
    found = [int(each) - 1 if each.isdecimal() else -1 for each in said.split(",")]
    if any(not 0 <= number < count for number in found):
        raise ValueError(f"{said} is not a number from 1 to {count}")
    return found


def _without(choice: Choice) -> Choice:
    if isinstance(choice, LimitChoice):
        raise ValueError(f"{choice.name} is a limit; type {choice.name}=NUMBER")  # noqa: TRY004
    return replace(choice, given=False)


def _turned(dial: Choice | None, value: str, word: str) -> LimitChoice:
    try:
        given = float(value)
    except ValueError:
        given = 0.0
    if not isinstance(dial, LimitChoice) or not 0 < given <= dial.asked:
        raise ValueError(
            f"{word} is not understood: without=NUMBERS, or a limit that is no more than was asked"
        )
    return replace(dial, given=given)


def _title(kind: str, each: object) -> Text:
    if kind == "packages":
        name, version, place = each.name, each.version, each.place  # type: ignore[attr-defined]
        return Untrusted(f"{name.text} {version.text}{f' in {place.text}' if place else ''}")
    return each  # type: ignore[return-value]
