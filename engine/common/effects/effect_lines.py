"""Observed effects in words, for the command line and the console."""

from __future__ import annotations

from engine.common.text import many, visible
from engine.models.observed import Basis, EffectMatch, ObservedEffect, ObservedKind, RunEffects

_BASES = {
    Basis.KERNEL: "",
    Basis.ASKED: "as asked for",
    Basis.COUNTED: "target not told",
    Basis.LISTING: "from the files before and after",
}


def status_line(found: RunEffects) -> str:
    """Return whether the effects of a run are all that there were."""
    observation = found.observation
    if observation is None:
        return f"{many(len(found.effects), 'effect')} so far" if found.effects else "no effects are recorded"
    why = f": {'; '.join(observation.reasons)}" if observation.reasons else ""
    if not observation.events:
        return f"{observation.status.value}{why}"
    routine = sum(effect.routine for effect in found.effects)
    own = many(len(found.effects) - routine, "effect")
    more = f", {observation.omitted:,} repetitions of others" if observation.omitted else ""
    return f"{observation.status.value}{why}; {own}, {routine:,} routine{more}, {observation.events:,} events"


def match_line(match: EffectMatch) -> str:
    """Return a row of the comparison."""
    level = f"{match.severity.value.upper()} " if match.surprising and match.severity else ""
    lines = f", line {', '.join(map(str, match.lines[:5]))}" if match.lines else ""
    reason = f" ({match.reason})" if match.surprising and match.reason else ""
    return f"{level}{match.relation.value}: {match.kind} {visible(match.value)}{lines}{reason}"


def effect_line(effect: ObservedEffect) -> str:
    """Return an observed effect in one line, with when it began."""
    return f"{effect.first:8.3f} s  {effect_words(effect)}"


def effect_words(effect: ObservedEffect) -> str:
    """Return what an observed effect was, without when."""
    target = visible(effect.target) or "-"
    detail = f" [{visible(effect.detail)}]" if effect.detail else ""
    notes = [note for note in (_times(effect), _outcome(effect), _BASES[effect.basis]) if note]
    by = (
        f" by {visible(effect.process)}" if effect.process and effect.kind is not ObservedKind.PROCESS else ""
    )
    end = f" ({', '.join(notes)})" if notes else ""
    return f"{effect.kind.value} {target}{detail}{by}{end}"


def _times(effect: ObservedEffect) -> str:
    return f"{effect.count:,} times" if effect.count > 1 else ""


def _outcome(effect: ObservedEffect) -> str:
    if effect.exit is not None:
        return f"exit {effect.exit}"
    if not effect.refused:
        return ""
    often = "" if effect.refused == effect.count else f"{effect.refused:,} "
    return f"{often}refused: {effect.error}" if effect.error else f"{often}refused"
