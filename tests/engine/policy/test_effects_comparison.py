"""Predicted, granted and observed effects, side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models import Analysis, Certainty, EffectKind, Level, Permissions, PredictedEffect, Verdict
from engine.models.observed import (
    EffectMatch,
    NetworkUse,
    ObservedEffect,
    ObservedKind,
    Relation,
    SurpriseAction,
)
from engine.policy import shipped
from engine.policy.effects.comparison import attempt_surprises, compare, surprises
from engine.policy.files.schema import PolicySpec

NOTHING = Permissions()


def _predicted(kind: EffectKind, value: str, certainty: Certainty = Certainty.EXACT) -> Analysis:
    return Analysis(
        effects=(PredictedEffect(kind=kind, value=Untrusted(value), certainty=certainty, lines=(3,)),)
    )


def _observed(kind: ObservedKind, target: str, **fields: object) -> ObservedEffect:
    given = {"number": 1, "kind": kind, "target": Untrusted(target)} | fields
    return ObservedEffect.model_validate(given)


def _relation(analysis: Analysis, effect: ObservedEffect) -> Relation:
    return next(row.relation for row in compare(analysis, NOTHING, [effect]) if row.number)


@pytest.mark.parametrize(
    ("analysis", "effect"),
    [
        (_predicted(EffectKind.READ, "a.csv"), _observed(ObservedKind.READ, "/workspace/a.csv")),
        (_predicted(EffectKind.READ, "/etc/passwd"), _observed(ObservedKind.READ, "/etc/passwd")),
        (
            _predicted(EffectKind.READ, "out….csv", Certainty.PATTERN),
            _observed(ObservedKind.READ, "/workspace/out7.csv"),
        ),
        (_predicted(EffectKind.READ, "", Certainty.UNKNOWN), _observed(ObservedKind.READ, "/etc/shadow")),
        (_predicted(EffectKind.WRITE, "d"), _observed(ObservedKind.DELETE, "/workspace/d/x")),
        (_predicted(EffectKind.COMMAND, "git status"), _observed(ObservedKind.PROCESS, "/usr/bin/git")),
        (_predicted(EffectKind.COMMAND, "sh"), _observed(ObservedKind.PROCESS, "/usr/bin/dash")),
        (
            _predicted(EffectKind.COMMAND, "exit 7"),
            _observed(ObservedKind.PROCESS, "/usr/bin/dash", detail=Untrusted("sh -c 'exit 7'")),
        ),
        (_predicted(EffectKind.HOST, "localhost"), _observed(ObservedKind.CONNECT, "127.0.0.1:80")),
        (_predicted(EffectKind.PORT, "8080"), _observed(ObservedKind.LISTEN, "0.0.0.0:8080")),
    ],
)  # fmt: skip
def test_a_prediction_that_is_met_is_no_surprise(analysis: Analysis, effect: ObservedEffect) -> None:
    """An effect that was predicted is so by its path, its pattern, its command or its address."""
    assert Relation.PREDICTED is _relation(analysis, effect)
    assert () == surprises(analysis, NOTHING, [effect], [effect])


@pytest.mark.parametrize(
    ("analysis", "effect", "severity"),
    [
        (
            _predicted(EffectKind.READ, "a"),
            _observed(ObservedKind.READ, "/workspace/.ssh/id_rsa"),
            Level.HIGH,
        ),
        (_predicted(EffectKind.READ, "a"), _observed(ObservedKind.READ, "/etc/passwd"), Level.MEDIUM),
        (_predicted(EffectKind.READ, "a"), _observed(ObservedKind.WRITE, "/etc/cron.d/x"), Level.HIGH),
        (_predicted(EffectKind.COMMAND, "ls"), _observed(ObservedKind.PROCESS, "/usr/bin/nc"), Level.MEDIUM),
        (Analysis(), _observed(ObservedKind.CONNECT, "45.33.32.156:4444"), Level.HIGH),
        (Analysis(), _observed(ObservedKind.SEND, ""), Level.HIGH),
        (Analysis(), _observed(ObservedKind.TRACE, ""), Level.HIGH),
        (Analysis(), _observed(ObservedKind.MEMORY, "/memfd:x"), Level.HIGH),
        (Analysis(), _observed(ObservedKind.SIGNAL, "the supervisor"), Level.HIGH),
    ],
)
def test_what_was_not_predicted_is_a_surprise(
    analysis: Analysis, effect: ObservedEffect, severity: Level
) -> None:
    """Its severity goes by what is done, and where."""
    (found,) = surprises(analysis, NOTHING, [effect], [effect])
    assert severity is found.severity


@pytest.mark.parametrize(
    "effect",
    [
        _observed(ObservedKind.WRITE, "/workspace/new"),
        _observed(ObservedKind.WRITE, "/tmp/x"),
        _observed(ObservedKind.READ, "/etc/passwd", routine=True),
        _observed(ObservedKind.READ, "/root/.config/lib", refused=1, error="ENOENT"),
        _observed(ObservedKind.SIGNAL, "itself"),
        _observed(ObservedKind.LISTEN, "127.0.0.1:8080"),
    ],
)
def test_what_changes_nothing_outside_is_no_surprise(effect: ObservedEffect) -> None:
    """The sandbox's own files, routine effects, files that are not there and its own loopback."""
    assert () == surprises(Analysis(), NOTHING, [effect], [effect])


def test_any_effect_of_harmless_code_is_an_alarm() -> None:
    """What contradicts a proof is CRITICAL, however small."""
    harmless = Analysis(verdict=Verdict.HARMLESS)
    effect = _observed(ObservedKind.WRITE, "/workspace/new")
    (found,) = surprises(harmless, NOTHING, [effect], [effect])
    assert Level.CRITICAL is found.severity


def test_a_predicted_command_answers_for_what_it_reads() -> None:
    """What a predicted command and its children do with files is predicted; where they connect is not."""
    analysis = _predicted(EffectKind.COMMAND, "git")
    git = Untrusted("/usr/bin/git")
    start = _observed(ObservedKind.PROCESS, "/usr/bin/git")
    read = _observed(ObservedKind.READ, "/etc/passwd", process=git, number=2)
    connect = _observed(ObservedKind.CONNECT, "1.2.3.4:22", process=git, number=3)
    effects = [start, read, connect]
    assert [3] == [one.number for one in surprises(analysis, NOTHING, effects, effects)]


def test_a_refused_host_is_beyond_the_grant() -> None:
    """A host that was predicted and refused is told; one that nobody predicted is a surprise."""
    use = NetworkUse(host=Untrusted("evil.example"), port=443, allowed=False)
    (found,) = attempt_surprises(Analysis(), NOTHING, use)
    assert (Relation.BEYOND, Level.HIGH) == (found.relation, found.severity)
    assert () == attempt_surprises(_predicted(EffectKind.HOST, "evil.example"), NOTHING, use)


def test_grants_are_used_or_not() -> None:
    """Each granted file and domain has a row that says whether it was used."""
    granted = Permissions(
        files=(Untrusted("a"), Untrusted("b")), domains=(Untrusted("*.example.org"), Untrusted("x.example"))
    )
    network = [NetworkUse(host=Untrusted("api.example.org"), port=443, allowed=True)]
    rows = compare(Analysis(), granted, [_observed(ObservedKind.READ, "/workspace/a")], network)
    assert {("a", Relation.USED), ("b", Relation.UNUSED), ("*.example.org", Relation.USED),
            ("x.example", Relation.UNUSED)} <= {(row.value.text, row.relation) for row in rows}  # fmt: skip


@given(st.sampled_from([*ObservedKind]), st.text(max_size=60), st.booleans())
def test_every_effect_has_exactly_one_row(kind: ObservedKind, target: str, harmless: bool) -> None:
    """Whatever was observed is compared once, and nothing breaks it."""
    analysis = Analysis(verdict=Verdict.HARMLESS if harmless else Verdict.UNPROVEN)
    effect = _observed(kind, target.encode(errors="replace").decode())
    rows: list[EffectMatch] = [row for row in compare(analysis, NOTHING, [effect]) if row.number]
    assert 1 == len(rows)


@pytest.mark.parametrize(
    ("said", "severity", "expected"),
    [
        ("kill", Level.CRITICAL, SurpriseAction.KILL),
        ("kill", Level.MEDIUM, SurpriseAction.RECORD),
        ({"medium": "freeze", "critical": "kill"}, Level.HIGH, SurpriseAction.FREEZE),
        ({"medium": "freeze", "critical": "kill"}, Level.CRITICAL, SurpriseAction.KILL),
        ({}, Level.CRITICAL, SurpriseAction.RECORD),
    ],
)
def test_a_policy_says_what_happens_at_a_surprise(
    said: object, severity: Level, expected: SurpriseAction
) -> None:
    """One word counts from HIGH on; actions by severity count from there upwards."""
    spec = PolicySpec.model_validate({"on_surprise": said})
    policy = shipped()
    assert expected is type(policy)(
        policy.rules, policy.deadlines, policy.hash, on_surprise=spec.on_surprise
    ).surprise_action(severity)


@pytest.mark.parametrize("said", ["stop", {"high": "shout"}, {"grave": "kill"}, 3])
def test_an_unknown_action_is_refused(said: object) -> None:
    """A word that means nothing is an error of the policy file."""
    with pytest.raises(ValueError, match=r"action|risk"):
        PolicySpec.model_validate({"on_surprise": said})
