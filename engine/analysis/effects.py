"""Effects as the analysers find them, and the predicted effects made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from engine.common.text import Untrusted
from engine.models import Certainty, EffectKind, PredictedEffect

UNKNOWN: Final = "\x00"
"""Represents text that is known only at run time."""


class Effect(NamedTuple):
    """One effect of the code, and the line that has it."""

    kind: EffectKind
    value: str
    line: int
    note: str = ""


def predicted_effects(effects: Iterable[Effect]) -> list[PredictedEffect]:
    """Return one predicted effect for each kind and value, with all lines that say so."""
    groups: dict[tuple[EffectKind, str], list[Effect]] = {}
    for effect in effects:
        groups.setdefault((effect.kind, effect.value), []).append(effect)
    return [_merged(group) for group in groups.values()]


def _merged(group: list[Effect]) -> PredictedEffect:
    first = group[0]
    return PredictedEffect(
        kind=first.kind,
        value=Untrusted(first.value.replace(UNKNOWN, "*")[:512]),
        certainty=_certainty(first.value),
        lines=tuple(sorted({effect.line for effect in group})),
        note=first.note,
    )


def _certainty(value: str) -> Certainty:
    if UNKNOWN not in value:
        return Certainty.EXACT
    return Certainty.PATTERN if value.strip(UNKNOWN + "/.:*") else Certainty.UNKNOWN


def address(url: str, line: int) -> Iterator[Effect]:
    """Yield the address, its host and its port."""
    yield Effect(EffectKind.URL, url, line)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return
    if host:
        yield Effect(EffectKind.HOST, host, line)
    if port:
        yield Effect(EffectKind.PORT, str(port), line)
