"""Predicted, granted and observed, side by side. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.common.effects.severity import is_absent, severity_of
from engine.common.text import Untrusted
from engine.models import Analysis, EffectKind, Level, Permissions, PredictedEffect, Verdict
from engine.models.observed import (
    Basis,
    EffectMatch,
    NetworkUse,
    ObservedEffect,
    ObservedKind,
    Relation,
)
from engine.policy.effects.predictions import CommandScope, possible_predictions, predictions_of
from engine.policy.effects.use_of_grants import INPUT_FOLDER, grants

_OBSERVABLE = frozenset({EffectKind.HOST, EffectKind.READ, EffectKind.WRITE, EffectKind.COMMAND})
"""Predictions that an observation can confirm; the others are about the code's text."""
_ALARM = "the analysis called this code harmless, so its proof or the observation is wrong"


def compare(
    analysis: Analysis,
    granted: Permissions,
    effects: Sequence[ObservedEffect],
    network: Sequence[NetworkUse] = (),
    *,
    complete: bool = True,
) -> tuple[EffectMatch, ...]:
    """Return a row for each prediction, permission and observed effect; the gravest surprises first.

    Routine effects, which programs have without their authors asking, are left out. `complete`: the effects
    are all that there were.
    """
    own = [one for one in effects if not one.routine]
    rows = [
        *_observed(analysis, granted, own),
        *_attempts(analysis, granted, network),
        *_unfulfilled(analysis.effects, own, network),
        *grants(granted, effects, network, complete=complete),
    ]
    return tuple(sorted(rows, key=lambda row: -(row.severity.rank if row.severity else -1)))


def surprises(
    analysis: Analysis,
    granted: Permissions,
    effects: Sequence[ObservedEffect],
    known: Sequence[ObservedEffect],
) -> tuple[EffectMatch, ...]:
    """Return the surprises among new effects; `known` are all effects of the run so far."""
    own = [one for one in effects if not one.routine]
    return tuple(row for row in _observed(analysis, granted, own, known) if row.surprising)


def attempt_surprises(
    analysis: Analysis, granted: Permissions, attempt: NetworkUse
) -> tuple[EffectMatch, ...]:
    """Return the surprise that an attempt to reach a host is, if it is one."""
    return tuple(row for row in _attempts(analysis, granted, [attempt]) if row.surprising)


# --- observed ----------------------------------------------------------------------------------------


def _observed(
    analysis: Analysis,
    granted: Permissions,
    effects: Sequence[ObservedEffect],
    known: Sequence[ObservedEffect] = (),
) -> Iterator[EffectMatch]:
    scope = CommandScope.of(known or effects, analysis.effects)
    inputs = {INPUT_FOLDER + name.text for name in granted.files}
    for effect in effects:
        predicted = predictions_of(effect, analysis.effects) or _by_listing(effect, effects, analysis.effects)
        own = _is_own(effect, inputs)
        expected = bool(predicted) or scope.covers(effect) or own
        refuted = analysis.verdict is Verdict.HARMLESS and not own and not is_absent(effect)
        yield (
            _refutation(effect, predicted)
            if refuted
            else _row(analysis, effect, predicted, expected=expected)
        )


def _by_listing(
    call: ObservedEffect, effects: Sequence[ObservedEffect], predicted: Sequence[PredictedEffect]
) -> tuple[PredictedEffect, ...]:
    """Return the predictions that calls without targets fulfil, where the files of a listing are all of them.

    Each file that vanished takes a call. So where as many files were deleted as there were calls, none of
    them was refused, and nothing was renamed, no call had another target.
    """
    if call.kind is not ObservedKind.DELETE or call.target:
        return ()
    same = [one for one in effects if one.kind is ObservedKind.DELETE]
    if any(one.refused for one in same) or any(one.kind is ObservedKind.RENAME for one in effects):
        return ()
    told = [predictions_of(one, predicted) for one in same if one.basis is Basis.LISTING]
    calls = sum(one.count for one in same if not one.target)
    return tuple(one for each in told for one in each) if calls <= len(told) and all(told) else ()


def _is_own(effect: ObservedEffect, inputs: set[str]) -> bool:
    return effect.kind is ObservedKind.READ and effect.target.text in inputs


def _refutation(effect: ObservedEffect, predicted: Sequence[PredictedEffect]) -> EffectMatch:
    """Return the row of an effect that proven code cannot have: it reads granted input files at most."""
    lines = tuple(sorted({line for one in predicted for line in one.lines}))
    return _match(Relation.UNPREDICTED, effect, lines, Level.CRITICAL, _ALARM)


def _row(
    analysis: Analysis, effect: ObservedEffect, predicted: Sequence[PredictedEffect], *, expected: bool
) -> EffectMatch:
    possible = possible_predictions(effect, analysis.effects)
    lines = tuple(sorted({line for one in predicted or possible for line in one.lines}))
    severity, reason = severity_of(effect)
    if _is_beyond(effect):
        relation = Relation.BEYOND
        severity = Level.LOW if expected else severity
    elif expected:
        return _match(Relation.PREDICTED, effect, lines)
    else:
        relation = Relation.TARGET_UNKNOWN if possible else Relation.UNPREDICTED
    return _match(relation, effect, lines, severity, reason)


def _match(
    relation: Relation,
    effect: ObservedEffect,
    lines: tuple[int, ...],
    severity: Level | None = None,
    reason: str = "",
) -> EffectMatch:
    value = effect.target if effect.target else Untrusted(f"({effect.detail.text})")
    return EffectMatch(
        relation=relation,
        kind=effect.kind.value,
        value=value,
        number=effect.number,
        lines=lines,
        severity=severity,
        reason=reason,
    )


def _is_beyond(effect: ObservedEffect) -> bool:
    """Return whether an effect is never granted: the network is reached through the proxy alone."""
    if effect.kind not in {ObservedKind.CONNECT, ObservedKind.SEND}:
        return False
    return severity_of(effect)[0].rank > Level.LOW.rank


def _attempts(
    analysis: Analysis, granted: Permissions, network: Iterable[NetworkUse]
) -> Iterator[EffectMatch]:
    """Yield a row for each host that the proxy refused."""
    predicted = {one.value.text: one.lines for one in analysis.effects if one.kind is EffectKind.HOST}
    unknown = any(one.kind is EffectKind.HOST and one.certainty == "unknown" for one in analysis.effects)
    for use in network:
        if use.allowed:
            continue
        expected = unknown or use.host.text in predicted
        severity = Level.LOW if expected else Level.HIGH
        if analysis.verdict is Verdict.HARMLESS:
            severity = Level.CRITICAL
        yield EffectMatch(
            relation=Relation.BEYOND,
            kind=EffectKind.HOST.value,
            value=Untrusted(f"{use.host.text}:{use.port}"),
            lines=predicted.get(use.host.text, ()),
            severity=severity,
            reason="the proxy refused it: it was not granted",
        )


# --- predicted ---------------------------------------------------------------------------------------


def _unfulfilled(
    predicted: Sequence[PredictedEffect], effects: Sequence[ObservedEffect], network: Sequence[NetworkUse]
) -> Iterator[EffectMatch]:
    reached = {use.host.text for use in network}
    met = {id(one) for effect in effects for one in predictions_of(effect, predicted)}
    possible = {id(one) for effect in effects for one in possible_predictions(effect, predicted)}
    for one in predicted:
        if one.kind not in _OBSERVABLE:
            continue
        if one.kind is EffectKind.HOST and one.value.text in reached:
            yield _prediction(Relation.PREDICTED, one)
        elif id(one) not in met:
            relation = Relation.TARGET_UNKNOWN if id(one) in possible else Relation.NOT_OBSERVED
            yield _prediction(relation, one)


def _prediction(relation: Relation, one: PredictedEffect) -> EffectMatch:
    return EffectMatch(relation=relation, kind=one.kind.value, value=one.value, lines=one.lines)
