"""What code wants, as the analysers note it down, and the predictions that come of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from engine.common.text import Untrusted
from engine.models import Certainty, EffectKind, PredictedEffect

UNKNOWN: Final = "\x00"
"""Stands for a stretch of text that is only known when the code runs."""


class Want(NamedTuple):
    """Something that is wanted, and the line that says so."""

    need: EffectKind
    value: str
    line: int
    note: str = ""


def predicted(wants: Iterable[Want]) -> list[PredictedEffect]:
    """Return one prediction for each need and value, with all lines that say so."""
    groups: dict[tuple[EffectKind, str], list[Want]] = {}
    for want in wants:
        groups.setdefault((want.need, want.value), []).append(want)
    return [_prediction(group) for group in groups.values()]


def _prediction(group: list[Want]) -> PredictedEffect:
    first = group[0]
    return PredictedEffect(
        need=first.need,
        value=Untrusted(first.value.replace(UNKNOWN, "*")[:512]),
        certainty=_certainty(first.value),
        lines=tuple(sorted({want.line for want in group})),
        note=first.note,
    )


def _certainty(value: str) -> Certainty:
    if UNKNOWN not in value:
        return Certainty.EXACT
    return Certainty.PATTERN if value.strip(UNKNOWN + "/.:*") else Certainty.UNKNOWN


def address(url: str, line: int) -> Iterator[Want]:
    """Yield the address, its host and its port."""
    yield Want(EffectKind.URL, url, line)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return
    if host:
        yield Want(EffectKind.HOST, host, line)
    if port:
        yield Want(EffectKind.PORT, str(port), line)
