"""Stretches of a text that are masked, and what takes their place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class MaskedSpan(NamedTuple):
    """Characters from `start` up to, not including, `end` that are a secret of some kind."""

    start: int
    end: int
    kind: str
    weight: int = 1
    """Where spans overlap, the kind of the heaviest is named: a known format before an assignment."""


def joined(spans: Iterable[MaskedSpan]) -> list[MaskedSpan]:
    """Return the spans in order, those that overlap joined into one."""
    found: list[MaskedSpan] = []
    for span in sorted(spans):
        if found and span.start < found[-1].end:
            last = found.pop()
            named = max(last, span, key=lambda one: one.weight)
            found.append(MaskedSpan(last.start, max(last.end, span.end), named.kind, named.weight))
        else:
            found.append(span)
    return found


def masked(text: str, spans: Iterable[MaskedSpan]) -> str:
    """Return a text with what each span holds replaced by its kind."""
    parts, place = [], 0
    for span in joined(spans):
        parts += [text[place : span.start], f"[masked: {span.kind}]"]
        place = span.end
    return "".join((*parts, text[place:]))
