"""What the engine grants to nobody, so that it is said before a key is pressed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from console.safety.text import visible_text
from engine.common.hosts import pattern_error
from engine.models import Draft, Package

Refused = Mapping[tuple[str, int], str]
"""The reason for each requested permission that cannot be granted, by its kind and its index."""


def ungrantable(draft: Draft) -> dict[tuple[str, int], str]:
    """Return which requested permissions cannot be granted, and why."""
    return dict(_found(draft))


def said(draft: Draft) -> list[str]:
    """Return a few words about each permission that cannot be granted: what it is, and why."""
    wanted = draft.permissions
    found = ungrantable(draft)
    names = {"packages": [each.name for each in wanted.packages], "domains": wanted.domains}
    return [
        f"{visible_text(names[kind][index]) if kind in names else 'a session'} ({why})"
        for (kind, index), why in found.items()
    ]


def _found(draft: Draft) -> Iterator[tuple[tuple[str, int], str]]:
    wanted = draft.permissions
    for index, package in enumerate(wanted.packages):
        if why := _package(package):
            yield ("packages", index), why
    for index, domain in enumerate(wanted.domains):
        if pattern_error(domain.text):
            yield ("domains", index), "no host name"
    if wanted.session and not draft.session:
        yield ("session", 0), "names no sandbox"


def _package(package: Package) -> str:
    if package.hashes:
        return ""
    return "no such package was found, or no registry to look it up"
