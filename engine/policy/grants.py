"""Grants: never more than requested, nor more than the ceiling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.models import Limits, Permissions

KINDS = ("domains", "packages", "files", "secrets", "builds")
"""The kinds of permissions that are lists of names."""


def excess(given: Permissions, asked: Permissions, ceiling: Limits) -> tuple[str, ...]:
    """Return what `given` has in excess of the request or the ceiling; empty if nothing."""
    return (*_more_kinds(given, asked), *_higher(given.limits, asked.limits, "asked for"),
            *_higher(given.limits, ceiling, "the ceiling"))  # fmt: skip


def clamp(given: Permissions, asked: Permissions, ceiling: Limits) -> Permissions:
    """Return the part of `given` that was requested and that the ceiling allows."""
    kept = {kind: _both(getattr(given, kind), getattr(asked, kind)) for kind in KINDS}
    limits = {
        field: min(getattr(limit, field) for limit in (given.limits, asked.limits, ceiling))
        for field in Limits.model_fields
    }
    return Permissions(**kept, limits=Limits(**limits), session=given.session and asked.session)


def _both(given: tuple[Any, ...], asked: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(item for item in given if item in asked)


def _more_kinds(given: Permissions, asked: Permissions) -> Iterator[str]:
    for kind in KINDS:
        extra = set(getattr(given, kind)) - set(getattr(asked, kind))
        if extra:
            yield f"{kind}: {len(extra)} that were not requested"
    if given.session and not asked.session:
        yield "session: not requested"


def _higher(given: Limits, bound: Limits, name: str) -> Iterator[str]:
    for field in Limits.model_fields:
        have, most = getattr(given, field), getattr(bound, field)
        if have > most:
            yield f"{field}: {have:g} is over {name}, {most:g}"
