"""What a rehearsal was seen to do, in the groups that Review names. Pure."""

from __future__ import annotations

from pathlib import PurePosixPath

from console.safety.text import visible_text
from engine.models.observed import ObservationStatus, ObservedEffect, ObservedKind
from engine.models.rehearsal import Rehearsal

SEEN = ("read", "wrote", "started")
OTHER = "other"
PROGRAM = "the program"
"""How the submitted code itself is named among processes."""
_HOME = "/workspace/"
_GROUPS = {
    ObservedKind.READ: "read",
    ObservedKind.PROCESS: "started",
    **dict.fromkeys(
        (
            ObservedKind.WRITE,
            ObservedKind.DELETE,
            ObservedKind.RENAME,
            ObservedKind.LINK,
            ObservedKind.FOLDER,
            ObservedKind.ATTRIBUTES,
        ),
        "wrote",
    ),
}
_HIDDEN = {ObservedKind.CONNECT, ObservedKind.SEND}
"""Told by the contacts, with the names of hosts."""


def seen(found: Rehearsal) -> dict[str, list[ObservedEffect]]:
    """Return the effects by group, without connections, and with written files that no event named."""
    groups: dict[str, list[ObservedEffect]] = {}
    named = set()
    for one in found.effects:
        if one.kind not in _HIDDEN:
            groups.setdefault(_GROUPS.get(one.kind, OTHER), []).append(one)
            named.add(one.target.text.removeprefix(_HOME))
    missing = [name for name in found.changed if name.text not in named]
    added = [ObservedEffect(number=0, kind=ObservedKind.WRITE, target=name) for name in missing]
    return {**groups, "wrote": [*groups.get("wrote", []), *added]} if added else groups


def place(effect: ObservedEffect) -> str:
    """Return what an effect is about: a command with its arguments, or a file as code names it."""
    if effect.kind is ObservedKind.PROCESS:
        return visible_text(effect.detail.text or effect.target.text)
    name = _file(effect.target.text) or "something that the kernel does not name"
    return f"{name} (deleted)" if effect.kind is ObservedKind.DELETE else name


def columns(found: Rehearsal) -> dict[str, tuple[str, ...]]:
    """Return the values of each row of Review's table that a rehearsal can fill."""
    hosts = dict.fromkeys(visible_text(contact.host) for contact in found.contacts)
    groups = seen(found)
    started = groups.get("started", [])
    words = {word for one in started for word in one.detail.text.split()}
    read = [one for one in groups.get("read", ()) if not _looks_names_up(one, words)]
    return {
        "contacts": tuple(hosts),
        "starts": tuple(dict.fromkeys(_program(one) for one in started if one.target.text != PROGRAM)),
        "reads": tuple(dict.fromkeys(place(one) for one in read)),
        "writes": tuple(dict.fromkeys(place(one) for one in groups.get("wrote", ()))),
    }


def observed(found: Rehearsal) -> bool:
    """Return whether the kernel of the sandbox reported files and processes."""
    known = found.observation
    return known is not None and known.status is not ObservationStatus.NONE and known.events > 0


def _looks_names_up(effect: ObservedEffect, words: set[str]) -> bool:
    """Return whether a command that was started looks names of users up, as `ls -l` does, unasked."""
    target = effect.target.text
    return target in {"/etc/passwd", "/etc/group"} and effect.process.text != PROGRAM and target not in words


def _program(effect: ObservedEffect) -> str:
    return visible_text(PurePosixPath(effect.target.text).name or effect.target.text)


def _file(path: str) -> str:
    if not path.startswith(_HOME):
        return visible_text(path)
    name = path.removeprefix(_HOME)
    return visible_text(f"~/{name}" if name.startswith(".") else name)
