"""Giving less than was asked: every capability as a switch, every limit as a dial that only turns down."""

from __future__ import annotations

from dataclasses import dataclass, replace

from console.text import Text
from engine.models import Capabilities, Grant, Limits

LOWEST = {"memory_mb": 64, "cpus": 0.1, "seconds": 1, "disk_mb": 1, "output_kb": 1, "processes": 1}
TITLES = {
    "memory_mb": ("memory", "MiB"),
    "cpus": ("CPU", "cores"),
    "seconds": ("time", "s"),
    "disk_mb": ("disk", "MiB"),
    "output_kb": ("output", "KiB"),
    "processes": ("processes", ""),
}


@dataclass(frozen=True)
class Switch:
    """One thing that was asked for: `kind` names the field, `index` its place in it."""

    kind: str
    index: int
    title: Text
    given: bool = True


@dataclass(frozen=True)
class Dial:
    """One limit: what was asked for, and what is given."""

    name: str
    asked: float
    given: float

    def turned(self, step: int) -> Dial:
        """Return the dial halved (-1) or doubled (+1), never above what was asked."""
        value = self.given / 2 if step < 0 else self.given * 2
        value = min(self.asked, max(LOWEST[self.name], value))
        return replace(self, given=value if self.name == "cpus" else float(int(value)))


Choice = Switch | Dial


def choices(asked: Capabilities) -> tuple[Choice, ...]:
    """Return everything that can be given, or not."""
    switches = [
        Switch(kind, index, _title(kind, each))
        for kind in ("domains", "packages", "files", "secrets")
        for index, each in enumerate(getattr(asked, kind))
    ]
    if asked.session:
        switches.append(Switch("session", 0, "a sandbox that stays between runs"))
    dials = [Dial(name, float(value), float(value)) for name, value in asked.limits.model_dump().items()]
    return (*switches, *dials)


def grant(asked: Capabilities, chosen: tuple[Choice, ...]) -> Grant:
    """Return the grant of what is switched on, within the limits as they are turned."""
    kept = {(each.kind, each.index) for each in chosen if isinstance(each, Switch) and each.given}
    parts = {
        kind: tuple(each for index, each in enumerate(getattr(asked, kind)) if (kind, index) in kept)
        for kind in ("domains", "packages", "files", "secrets")
    }
    dials = {each.name: each.given for each in chosen if isinstance(each, Dial)}
    session = asked.session and ("session", 0) in kept
    return Grant(capabilities=Capabilities(**parts, limits=Limits(**dials), session=session))


def _title(kind: str, each: object) -> Text:
    if kind == "packages":
        name, version = each.name, each.version  # type: ignore[attr-defined]
        return f"{name.text} {version.text}"
    return each  # type: ignore[return-value]
