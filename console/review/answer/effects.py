"""What a reviewer asks first: why this level, what the code will do, what it may have. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from console.review.rehearsal.seen import columns, observed
from console.safety.text import visible_text
from engine.common.presentation import headline, proven_text, written_text
from engine.common.text import Untrusted, many
from engine.models import (
    Analysis,
    Case,
    EffectKind,
    Limits,
    Permissions,
    PredictedEffect,
    Verdict,
)
from engine.models.rehearsal import Rehearsal

ALL = "*"
"""The value of an effect on everything of its kind, such as the whole environment."""
MOST_NAMED = 3
"""How many values of one kind are named; the others are counted."""
_KINDS: tuple[tuple[str, str, tuple[EffectKind, ...]], ...] = (
    ("contacts", "contacts", (EffectKind.HOST, EffectKind.PORT)),
    ("starts", "starts", (EffectKind.COMMAND,)),
    ("reads", "reads", (EffectKind.READ,)),
    ("writes", "writes", (EffectKind.WRITE,)),
    ("environment", "reads from the environment", (EffectKind.ENVIRONMENT,)),
    ("packages", "uses", (EffectKind.PACKAGE,)),
    ("modules", "", (EffectKind.MODULE,)),
    ("secrets", "uses the secret", ()),
)
"""Label, verb and kinds of effects of each row, furthest-reaching first. Without a verb: in no sentence."""
_REQUESTED = {"reads": "input file ", "secrets": "secret "}
"""What is written before what is requested, where its name does not say what it is."""


@dataclass(frozen=True)
class EffectRow:
    """Effects of one kind: predicted by the analysis, requested by the agent, and seen in a rehearsal."""

    label: str
    verb: str
    predicted: tuple[str, ...]
    requested: tuple[str, ...]
    rehearsed: tuple[str, ...] | None = None
    """None where there was no rehearsal, or it cannot tell."""

    @property
    def surprises(self) -> bool:
        """Whether a rehearsal saw something that was neither predicted nor requested."""
        return bool(set(self.rehearsed or ()) - {*self.predicted, *self.requested})

    @property
    def refused(self) -> bool:
        """Whether the sandbox will refuse what was predicted, since nothing like it was requested."""
        return self.label == "contacts" and bool(self.predicted) and not self.requested


def effect_rows(case: Case, rehearsal: Rehearsal | None = None) -> tuple[EffectRow, ...]:
    """Return a row for each kind of effect that is predicted, requested, or seen in a rehearsal."""
    asked, done = _requested(case.submission.draft.permissions), _rehearsed(rehearsal)
    rows = (
        EffectRow(label, verb, _values(case.analysis.effects, kinds), asked.get(label, ()), done.get(label))
        for label, verb, kinds in _KINDS
    )
    return tuple(row for row in rows if row.predicted or row.requested or row.rehearsed)


def _rehearsed(rehearsal: Rehearsal | None) -> dict[str, tuple[str, ...]]:
    if rehearsal is None:
        return {}
    known = columns(rehearsal)
    return known if observed(rehearsal) else {"contacts": known["contacts"]}


def sentence(case: Case) -> str:
    """Return what the code will do, as far as the analysis can tell."""
    if case.submission.draft.operation is not None:
        return f"Tool call: {visible_text(headline(case.submission.draft))}."
    if case.analysis.verdict is Verdict.HARMLESS:
        return f"Only computes{_reads(case)} and prints."
    if case.analysis.writes:
        return f"Otherwise it only computes{_reads(case)} and prints."
    said = _listed([_does(row) for row in effect_rows(case) if row.predicted and row.verb])
    return f"{said[0].upper()}{said[1:]}." if said else "No access to anything outside was found."


def _reads(case: Case) -> str:
    return ", reads its input files" if case.submission.draft.files else ""


def verdict(analysis: Analysis) -> tuple[str, str]:
    """Return the verdict in a few words, and its style."""
    if analysis.verdict is Verdict.HARMLESS:
        return proven_text(analysis), "bold success"
    if analysis.violations and analysis.verdict is Verdict.VIOLATIONS:
        worst = max(analysis.violations, key=lambda each: each.severity.rank)
        words = f"{many(len(analysis.violations), 'violation')}, worst in line {worst.span.line}"
        return words, f"bold risk-{worst.severity.value}"
    if not analysis.complete:
        return "Unproven: not all of it could be analysed", "bold warning"
    if written := written_text(analysis):
        return f"Unproven; {written}", "bold warning"
    if analysis.unproven:
        return f"Unproven: {many(len(analysis.unproven), 'place')} (~)", "bold warning"
    return "Unproven", "bold warning"


def requests(wanted: Permissions) -> str:
    """Return what the code may have if all that was requested is granted."""
    named = [
        f"{_REQUESTED.get(label, '')}{_named(values)}"
        for label, values in _requested(wanted).items()
        if values
    ]
    named += ["a session"] if wanted.session else []
    return f"{', '.join(named) or 'no permissions'}; {limits(wanted.limits)}"


def limits(bounds: Limits) -> str:
    """Return memory, processors and time in a few words."""
    memory = f"{bounds.memory_mb / 1024:g} GiB" if bounds.memory_mb % 1024 == 0 else f"{bounds.memory_mb} MiB"
    return f"{memory}, {bounds.cpus:g} CPU, {bounds.seconds:g} s"


def _requested(wanted: Permissions) -> dict[str, tuple[str, ...]]:
    return {
        "contacts": _texts(wanted.domains),
        "reads": _texts(wanted.files),
        "packages": tuple(
            f"{visible_text(each.name)} {visible_text(each.version)}".strip() for each in wanted.packages
        ),
        "secrets": _texts(wanted.secrets),
    }


def _values(effects: Iterable[PredictedEffect], kinds: Sequence[EffectKind]) -> tuple[str, ...]:
    found = [each for each in effects if each.kind in kinds and _tells(each)]
    return tuple(dict.fromkeys(_value(each) for each in found))


def _tells(effect: PredictedEffect) -> bool:
    """Return whether an effect is worth a place: a module only where it reaches something outside."""
    return effect.kind is not EffectKind.MODULE or bool(effect.note)


def _value(effect: PredictedEffect) -> str:
    if effect.value.text == ALL:
        return "all of it" if effect.kind is EffectKind.ENVIRONMENT else "something unknown"
    return visible_text(effect.value) + (" (deleted)" if effect.note == "deleted" else "")


def _does(row: EffectRow) -> str:
    if row.label == "environment" and "all of it" in row.predicted:
        return "reads the whole environment"
    return f"{row.verb} {_named(row.predicted)}"


def _named(values: Sequence[str]) -> str:
    more = len(values) - MOST_NAMED
    return ", ".join(values[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _listed(words: Sequence[str]) -> str:
    return "; ".join(words)


def _texts(values: Iterable[Untrusted]) -> tuple[str, ...]:
    return tuple(visible_text(each) for each in values)
