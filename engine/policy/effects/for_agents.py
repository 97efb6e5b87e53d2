"""What an agent is told of the surprises of its run. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.common.effects.effect_lines import match_line
from engine.common.text import Untrusted, many, visible
from engine.models.observed import EffectMatch, SurpriseReport

MOST_LINES = 20
_MOST_TEXT = 300


def for_agent(surprises: Sequence[EffectMatch], report: SurpriseReport) -> tuple[Untrusted, ...]:
    """Return a line for each surprise, or for each kind of them, at most `MOST_LINES` and how many more."""
    lines = _lines(surprises, report)
    more = [f"{len(lines) - MOST_LINES:,} more"] if len(lines) > MOST_LINES else []
    return tuple(Untrusted(line[:_MOST_TEXT]) for line in [*lines[:MOST_LINES], *more])


def _lines(surprises: Sequence[EffectMatch], report: SurpriseReport) -> list[str]:
    match report:
        case SurpriseReport.NONE:
            return []
        case SurpriseReport.KINDS:
            counts = Counter(f"{one.relation.value}: {one.kind}" for one in surprises)
            return [f"{line} ({count:,})" for line, count in counts.items()]
        case SurpriseReport.ALL:
            return list(map(match_line, surprises))


def cause(surprises: Sequence[EffectMatch], report: SurpriseReport) -> str:
    """Return for what a run was ended, as the evidence of its result says, which the agent reads."""
    what = many(len(surprises), "surprise")
    return f"{what}: {visible(surprises[0].value)[:200]}" if report is SurpriseReport.ALL else what
