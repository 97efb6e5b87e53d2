"""What the engine grants to nobody, so that it is said before a key is pressed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.cells import cell_len

from console.safety.text import visible_text
from engine.common.hosts import pattern_error
from engine.models import Draft, Package

Refused = Mapping[tuple[str, int], str]
"""The reason for each requested permission that cannot be granted, by its kind and its index."""


def ungrantable(draft: Draft) -> dict[tuple[str, int], str]:
    """Return which requested permissions cannot be granted, and why."""
    return dict(_found(draft))


def listed(draft: Draft, cells: int) -> str:
    """Return which permissions cannot be granted, each with its reason where that fits into `cells`."""
    if not (words := _said(draft)):
        return ""
    whole = ", ".join(f"{name} ({why})" for name, why in words)
    return whole if cell_len(whole) <= cells else ", ".join(name for name, _ in words) + ": left out"


def _said(draft: Draft) -> list[tuple[str, str]]:
    """Return each permission that cannot be granted, made visible, and why."""
    wanted = draft.permissions
    found = ungrantable(draft)
    names = {"packages": [each.name for each in wanted.packages], "domains": wanted.domains}
    return [
        (visible_text(names[kind][index]) if kind in names else "a session", why)
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
