"""Predicted, granted and observed effects, side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.effects.severity import severity_of
from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Certainty,
    EffectKind,
    Level,
    Permissions,
    PredictedEffect,
    Verdict,
)
from engine.models.observed import (
    Basis,
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


def _effect(kind: EffectKind, value: str, line: int) -> PredictedEffect:
    return PredictedEffect(kind=kind, value=Untrusted(value), certainty=Certainty.EXACT, lines=(line,))


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


def test_predictions_are_met_or_not() -> None:
    """What an observation can confirm has a row; a host that the proxy was asked for was reached for."""
    analysis = Analysis(
        effects=(
            _effect(EffectKind.HOST, "a.example", 1),
            _effect(EffectKind.HOST, "b.example", 2),
            _effect(EffectKind.READ, "a.csv", 3),
            _effect(EffectKind.WRITE, "b.csv", 4),
            _effect(EffectKind.COMMAND, "git", 5),
            _effect(EffectKind.MODULE, "json", 6),
            _effect(EffectKind.ENVIRONMENT, "HOME", 7),
        )
    )
    network = [NetworkUse(host=Untrusted("a.example"), port=443, allowed=True)]
    rows = compare(analysis, NOTHING, [_observed(ObservedKind.READ, "/workspace/a.csv")], network)
    assert [
        ("host", "a.example", Relation.PREDICTED, (1,)),
        ("host", "b.example", Relation.NOT_OBSERVED, (2,)),
        ("write", "b.csv", Relation.NOT_OBSERVED, (4,)),
        ("command", "git", Relation.NOT_OBSERVED, (5,)),
    ] == [(row.kind, row.value.text, row.relation, row.lines) for row in rows if not row.number]


def test_an_allowed_host_is_no_attempt() -> None:
    """Only what the proxy refused is beyond the grant, and its line is named where it was predicted."""
    uses = [
        NetworkUse(host=Untrusted("a.example"), port=443, allowed=True),
        NetworkUse(host=Untrusted("b.example"), port=80, allowed=False),
    ]
    rows = compare(_predicted(EffectKind.HOST, "b.example"), NOTHING, [], uses)
    (beyond,) = [row for row in rows if row.relation is Relation.BEYOND]
    assert ("host", "b.example:80", (3,), Level.LOW) == (
        beyond.kind,
        beyond.value.text,
        beyond.lines,
        beyond.severity,
    )


@pytest.mark.parametrize(
    ("analysis", "severity"),
    [
        (_predicted(EffectKind.HOST, "", Certainty.UNKNOWN), Level.LOW),
        (_predicted(EffectKind.READ, "", Certainty.UNKNOWN), Level.HIGH),
        (_predicted(EffectKind.URL, "b.example"), Level.HIGH),
        (Analysis(verdict=Verdict.HARMLESS), Level.CRITICAL),
    ],
)
def test_a_refused_host_is_as_grave_as_it_is_surprising(analysis: Analysis, severity: Level) -> None:
    """A host that was not known before may be any; harmless code reaches for none."""
    use = NetworkUse(host=Untrusted("b.example"), port=80, allowed=False)
    (row,) = [one for one in compare(analysis, NOTHING, [], [use]) if one.relation is Relation.BEYOND]
    assert severity is row.severity


@pytest.mark.parametrize(
    ("kind", "target", "relation"),
    [
        (ObservedKind.CONNECT, "1.2.3.4:80", Relation.BEYOND),
        (ObservedKind.SEND, "", Relation.BEYOND),
        (ObservedKind.CONNECT, "127.0.0.1:80", Relation.UNPREDICTED),
        (ObservedKind.LISTEN, "1.2.3.4:80", Relation.UNPREDICTED),
        (ObservedKind.TRACE, "", Relation.UNPREDICTED),
    ],
)
def test_only_the_network_outside_is_beyond_every_grant(
    kind: ObservedKind, target: str, relation: Relation
) -> None:
    """The network is reached through the proxy alone."""
    assert relation is _relation(Analysis(), _observed(kind, target))


def test_an_effect_without_a_target_is_described() -> None:
    """Its row says what is known of it, in brackets."""
    effect = _observed(ObservedKind.SEND, "", detail=Untrusted("sendto"))
    assert ["(sendto)"] == [row.value.text for row in compare(Analysis(), NOTHING, [effect]) if row.number]
    named = _observed(ObservedKind.SEND, "1.2.3.4:5", detail=Untrusted("sendto"))
    assert ["1.2.3.4:5"] == [row.value.text for row in compare(Analysis(), NOTHING, [named]) if row.number]


@pytest.mark.parametrize(
    ("value", "target", "is_met"),
    [
        ("*.csv", "/workspace/a.csv", True),
        ("*.csv", "/workspace/b/a.csv", False),
        ("data/*", "/workspace/data/b/a.csv", True),
        ("**/*.py", "/workspace/a/b/c.py", True),
        ("/var/[ab]*", "/var/a1", True),
        ("/var/[ab]*", "/var/c", False),
        ("/*", "/etc/shadow", False),
        ("/*/*", "/etc/shadow", False),
        ("/**", "/etc/shadow", False),
        ("/…", "/etc/shadow", False),
        ("/etc/…", "/etc/shadow", False),
        ("/?tc", "/etc/shadow", False),
        ("/[e]tc/*", "/etc/shadow", False),
        ("/*", "/*", True),
        ("a[", "/workspace/a[", True),
    ],
)
def test_a_wildcard_stays_within_its_folder(value: str, target: str, is_met: bool) -> None:
    """A file that is called like a pattern of everything does not make everything predicted."""
    relation = Relation.PREDICTED if is_met else Relation.UNPREDICTED
    assert relation is _relation(_predicted(EffectKind.READ, value), _observed(ObservedKind.READ, target))


@pytest.mark.parametrize("target", ["/workspacex", "/tmpx/y", "/dev/shm2"])
def test_a_folder_that_begins_like_the_workspace_is_not_it(target: str) -> None:
    """Only what is in the sandbox's own folders is its own."""
    (found,) = surprises(Analysis(), NOTHING, [_observed(ObservedKind.WRITE, target)], [])
    assert Level.HIGH is found.severity


@pytest.mark.parametrize(
    ("effect", "relation"),
    [
        (_observed(ObservedKind.READ, "/workspace/in.csv"), Relation.PREDICTED),
        (_observed(ObservedKind.WRITE, "/workspace/in.csv"), Relation.UNPREDICTED),
        (_observed(ObservedKind.READ, "/workspace/other.csv"), Relation.UNPREDICTED),
    ],
)
def test_to_read_an_input_file_is_expected(effect: ObservedEffect, relation: Relation) -> None:
    """And nothing else about it."""
    granted = Permissions(files=(Untrusted("in.csv"),))
    (row,) = [one for one in compare(Analysis(), granted, [effect]) if one.number]
    assert relation is row.relation


def test_what_a_predicted_command_reads_is_predicted_in_the_comparison_too() -> None:
    """Routine effects have no row."""
    git = Untrusted("/usr/bin/git")
    effects = [
        _observed(ObservedKind.PROCESS, "/usr/bin/git"),
        _observed(ObservedKind.READ, "/etc/gitconfig", process=git, number=2),
        _observed(ObservedKind.READ, "/etc/ld.so.cache", routine=True, number=3),
    ]
    rows = compare(_predicted(EffectKind.COMMAND, "git"), NOTHING, effects)
    assert {1: Relation.PREDICTED, 2: Relation.PREDICTED} == {
        row.number: row.relation for row in rows if row.number
    }


def test_a_refused_host_uses_no_grant() -> None:
    """A domain is used by what the proxy let through."""
    use = NetworkUse(host=Untrusted("a.example"), port=443, allowed=False)
    rows = compare(Analysis(), Permissions(domains=(Untrusted("a.example"),)), [], [use])
    assert [Relation.UNUSED] == [row.relation for row in rows if row.kind == "domain"]


def test_a_host_that_is_known_exactly_makes_no_other_expected() -> None:
    """Only an unknown one may be any."""
    use = NetworkUse(host=Untrusted("b.example"), port=443, allowed=False)
    assert [Level.HIGH] == [
        one.severity for one in attempt_surprises(_predicted(EffectKind.HOST, "a.example"), NOTHING, use)
    ]


def test_harmless_code_may_look_for_files_that_are_not_there() -> None:
    """As the interpreter does; to find one is an alarm."""
    harmless = Analysis(verdict=Verdict.HARMLESS)
    absent = _observed(ObservedKind.READ, "/etc/x", refused=1, error="ENOENT")
    refused = _observed(ObservedKind.READ, "/etc/x", refused=1, error="EACCES")
    assert () == surprises(harmless, NOTHING, [absent], [absent])
    assert [Level.CRITICAL] == [one.severity for one in surprises(harmless, NOTHING, [refused], [refused])]


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        (_observed(ObservedKind.PROCESS, "/workspace/x", detail=Untrusted("fork")), (Level.LOW, "")),
        (_observed(ObservedKind.PROCESS, "/usr/bin/uname"), (Level.LOW, "")),
        (_observed(ObservedKind.PROCESS, "/usr/bin/id"), (Level.MEDIUM, "it starts another program")),
        (_observed(ObservedKind.MEMORY, ""), (Level.LOW, "")),
        (_observed(ObservedKind.SIGNAL, "itself"), (Level.LOW, "")),
        (
            _observed(ObservedKind.READ, "/etc/passwd", refused=1, error="EACCES"),
            (Level.MEDIUM, "it tells about the machine and its users"),
        ),
        (_observed(ObservedKind.READ, "/etc/passwd", refused=1, error="ENOENT"), (Level.LOW, "")),
        (
            _observed(ObservedKind.READ, "/etc/passwd", refused=1, count=2, error="ENOENT"),
            (Level.MEDIUM, "it tells about the machine and its users"),
        ),
    ],
)
def test_how_grave_an_effect_is_and_why(effect: ObservedEffect, expected: tuple[Level, str]) -> None:
    """By its kind, its target, and whether it was refused each time."""
    assert expected == severity_of(effect)


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


UNLINK = _observed(ObservedKind.DELETE, "", basis=Basis.COUNTED, detail=Untrusted("unlink"))
GONE = _observed(ObservedKind.DELETE, "/workspace/a", basis=Basis.LISTING, number=2)


@pytest.mark.parametrize("kind", [ObservedKind.DELETE, ObservedKind.RENAME, ObservedKind.LINK,
                                  ObservedKind.ATTRIBUTES, ObservedKind.FOLDER])  # fmt: skip
def test_what_was_done_to_an_unknown_file_is_not_what_was_predicted(kind: ObservedKind) -> None:
    """It may be: so it is said that the target is not known, of both, with the lines of the prediction."""
    analysis = _predicted(EffectKind.WRITE, "a")
    rows = compare(analysis, NOTHING, [_observed(kind, "", basis=Basis.COUNTED)])
    assert [(Relation.TARGET_UNKNOWN, (3,), 1), (Relation.TARGET_UNKNOWN, (3,), 0)] == [
        (row.relation, row.lines, row.number) for row in rows
    ]


def test_what_nothing_like_it_was_predicted_of_is_not_predicted() -> None:
    """Its target is not known either, but no prediction can be it."""
    assert Relation.UNPREDICTED is _relation(_predicted(EffectKind.READ, "a"), UNLINK)
    assert Relation.PREDICTED is _relation(_predicted(EffectKind.WRITE, "", Certainty.UNKNOWN), UNLINK)


def test_a_change_that_was_denied_is_a_surprise_where_its_target_is_not_known() -> None:
    """Nothing is denied in the sandbox's own folders, so it may have been outside them."""
    analysis = _predicted(EffectKind.WRITE, "a")
    denied = UNLINK.model_copy(update={"refused": 1, "error": "EROFS"})
    absent = UNLINK.model_copy(update={"refused": 1, "error": "ENOENT"})
    assert [Level.MEDIUM] == [one.severity for one in surprises(analysis, NOTHING, [denied], [denied])]
    assert () == surprises(analysis, NOTHING, [absent], [absent])


def test_a_predicted_host_does_not_excuse_what_is_sent_to_an_unknown_one() -> None:
    """What goes past the proxy is as grave as without the prediction."""
    analysis, sent = _predicted(EffectKind.HOST, "a.example"), _observed(ObservedKind.SEND, "")
    assert [Level.HIGH] == [one.severity for one in surprises(analysis, NOTHING, [sent], [sent])]


@pytest.mark.parametrize(
    ("effects", "relation"),
    [
        ([UNLINK, GONE], Relation.PREDICTED),
        ([UNLINK], Relation.TARGET_UNKNOWN),
        ([UNLINK.model_copy(update={"count": 2}), GONE], Relation.TARGET_UNKNOWN),
        ([UNLINK.model_copy(update={"count": 2, "refused": 1}), GONE], Relation.TARGET_UNKNOWN),
        ([UNLINK, GONE, _observed(ObservedKind.RENAME, "", number=3)], Relation.TARGET_UNKNOWN),
        (
            [UNLINK, GONE.model_copy(update={"target": Untrusted("/workspace/b")})],
            Relation.TARGET_UNKNOWN,
        ),
    ],
)
def test_a_listing_tells_what_was_deleted_where_every_call_has_its_file(
    effects: list[ObservedEffect], relation: Relation
) -> None:
    """One file for each call, each predicted, none refused, and nothing renamed."""
    rows = compare(_predicted(EffectKind.WRITE, "a"), NOTHING, effects)
    assert [relation] == [row.relation for row in rows if row.number == 1]
