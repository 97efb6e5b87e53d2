"""A grant is never more than was asked, nor more than the ceiling."""

from __future__ import annotations

from collections.abc import Iterator

from engine.models import Capabilities, Limits


def beyond(given: Capabilities, asked: Capabilities, ceiling: Limits) -> tuple[str, ...]:
    """Return what `given` has beyond what was asked or what the ceiling allows; empty where it is within."""
    return (*_more_kinds(given, asked), *_higher(given.limits, asked.limits, "asked for"),
            *_higher(given.limits, ceiling, "the ceiling"))  # fmt: skip


def _more_kinds(given: Capabilities, asked: Capabilities) -> Iterator[str]:
    for kind in ("domains", "packages", "files", "secrets"):
        extra = set(getattr(given, kind)) - set(getattr(asked, kind))
        if extra:
            yield f"{kind}: {len(extra)} that nobody asked for"
    if given.session and not asked.session:
        yield "session: nobody asked for one"


def _higher(given: Limits, bound: Limits, name: str) -> Iterator[str]:
    for field in Limits.model_fields:
        have, most = getattr(given, field), getattr(bound, field)
        if have > most:
            yield f"{field}: {have:g} is over {name}, {most:g}"
