"""The risk of submissions and of tool calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Assessment,
    Confidence,
    Draft,
    Language,
    Level,
    Limits,
    Operation,
    OperationKind,
    Package,
    Permissions,
    Span,
    Unproven,
    Violation,
)
from engine.policy import Policy, assess, assess_operation, load, shipped

PACKAGE = Package(name=Untrusted("left-pad"), version=Untrusted("1.0"))
FOREIGN = Package(name=Untrusted("left-pad"), version=Untrusted("1.0"), registry=Untrusted("example"))
WRITTEN = Unproven(
    span=Span(line=1, column=1, end_line=1, end_column=2), reason=Untrusted("writes"), writes="a.csv"
)
NETWORK = Permissions(domains=(Untrusted("example.org"),))
CLEAN = "rules:\n  - {id: clean-code, enabled: true}\n"


def draft(permissions: Permissions | None = None, code: str = "print(1)") -> Draft:
    """Return a draft that asks for `permissions`."""
    return Draft(code=Untrusted(code), language=Language.PYTHON, permissions=permissions or Permissions())


def violation(severity: Level, category: str = "recon") -> Violation:
    """Return a violation of that severity."""
    return Violation(
        rule="r",
        severity=severity,
        confidence=Confidence.HIGH,
        category=category,
        span=Span(line=1, column=1, end_line=1, end_column=2),
        message=Untrusted("m"),
    )


def found(*severities: Level) -> Analysis:
    """Return an analysis with a violation of each severity."""
    return Analysis(violations=tuple(violation(level) for level in severities))


def dangerous(category: str) -> Analysis:
    """Return an analysis with a HIGH violation of that category."""
    return Analysis(violations=(violation(Level.HIGH, category),))


def policy(folder: Path, text: str) -> Policy:
    """Return the shipped policy with `text` on top."""
    file = folder / "policy.yaml"
    file.write_text(text)
    return load(file, base="strict")


def rules(assessment: Assessment) -> list[str]:
    """Return the ids of the rules that matched."""
    return [match.rule for match in assessment.matches]


TRUSTED = """rules:
  - id: trusted-agent
    risk: medium
    lowers: code-execution
    when: {requester: "token:t-1"}
    match: [{requester: "token:t-1"}]
    not_match: [{requester: "token:t-2"}]
"""


@pytest.mark.parametrize(
    ("risk", "requester"), [(Level.MEDIUM, "token:t-1"), (Level.HIGH, "token:t-2"), (Level.HIGH, "")]
)
def test_a_rule_about_the_requester_is_told_who_submits(tmp_path: Path, risk: Level, requester: str) -> None:
    """It lowers the risk for the one that it names; not for another, nor where nobody says who submits."""
    own = policy(tmp_path, TRUSTED)
    assert risk is assess(draft(), Analysis(), own, requester=requester).risk


@pytest.mark.parametrize(
    ("risk", "rule", "permissions", "analysis"),
    [
        (Level.CRITICAL, "network", NETWORK, Analysis()),
        (Level.CRITICAL, "foreign-package", Permissions(packages=(FOREIGN,)), Analysis()),
        (Level.CRITICAL, "critical-violation", Permissions(), found(Level.CRITICAL)),
        *[
            (Level.CRITICAL, "dangerous-pattern", Permissions(), dangerous(kind))
            for kind in ("exec_eval", "fs_delete", "net_download", "reverse_shell", "escape_gadget")
        ],
        (Level.HIGH, "package", Permissions(packages=(PACKAGE,)), Analysis()),
        (Level.HIGH, "analysis-incomplete", Permissions(), Analysis(complete=False)),
        (Level.HIGH, "code-execution", Permissions(), Analysis()),
        (Level.HIGH, "code-execution", Permissions(), found(Level.HIGH)),
    ],
)  # fmt: skip
def test_the_table_of_risks(risk: Level, rule: str, permissions: Permissions, analysis: Analysis) -> None:
    """Each row of the table of risks holds, by the rule that stands for it."""
    assessment = assess(draft(permissions), analysis, shipped("strict"))
    assert risk is assessment.risk
    assert rule in rules(assessment)


@pytest.mark.parametrize(
    ("risk", "seconds", "operation"),
    [
        (
            Level.CRITICAL,
            30.0,
            Operation(kind=OperationKind.INSTALL, permissions=Permissions(packages=(FOREIGN,))),
        ),
        (
            Level.HIGH,
            60.0,
            Operation(kind=OperationKind.INSTALL, permissions=Permissions(packages=(PACKAGE,))),
        ),
        (Level.HIGH, 60.0, Operation(kind=OperationKind.WRITE, path=Untrusted("x.sh"), executable=True)),
        (Level.HIGH, 60.0, Operation(kind=OperationKind.RUN)),
        (Level.MEDIUM, 120.0, Operation(kind=OperationKind.WRITE, path=Untrusted("a.csv"))),
        (Level.MEDIUM, 120.0, Operation(kind=OperationKind.READ, path=Untrusted("a.csv"))),
        (Level.MEDIUM, 120.0, Operation(kind=OperationKind.REMOVE, path=Untrusted("a.csv"))),
        (Level.MEDIUM, 120.0, Operation(kind=OperationKind.LIST)),
        (Level.LOW, None, Operation(kind=OperationKind.DESTROY)),
        (Level.LOW, None, Operation(kind=OperationKind.METADATA)),
        (Level.CRITICAL, 30.0, Operation(kind=OperationKind.DESTROY, permissions=NETWORK)),
    ],
)
def test_the_table_of_operations(risk: Level, seconds: float | None, operation: Operation) -> None:
    """What sandbox tools do passes the same rules, with the same deadlines, also as a submission."""
    handed = Draft(code=Untrusted(""), language=Language.PYTHON, session="ses-1", operation=operation)
    for assessment in (
        assess_operation(operation, shipped("strict")),
        assess(handed, Analysis(), shipped("strict")),
    ):
        assert (risk, seconds) == (assessment.risk, assessment.deadline_seconds)


def test_a_tool_call_hides_nothing_that_its_draft_asks_for() -> None:
    """Asked for by the draft or by its tool call: either counts."""
    call = Operation(kind=OperationKind.DESTROY)
    handed = Draft(code=Untrusted(""), language=Language.PYTHON, operation=call, permissions=NETWORK)
    assert Level.CRITICAL is assess(handed, Analysis(), shipped("strict")).risk


@pytest.mark.parametrize("kind", OperationKind)
def test_a_weaker_runtime_is_critical_whatever_is_done(kind: OperationKind, tmp_path: Path) -> None:
    """No policy file makes anything without gVisor less than CRITICAL."""
    lax = policy(tmp_path, CLEAN + "  - {id: weaker-runtime, enabled: false}\n")
    assert Level.CRITICAL is assess_operation(Operation(kind=kind), lax, weaker_runtime=True).risk
    assert Level.CRITICAL is assess(draft(), Analysis(), lax, weaker_runtime=True).risk


@pytest.mark.parametrize(("seconds", "severity"), [(30.0, Level.CRITICAL), (60.0, Level.LOW)])
def test_each_risk_has_its_deadline(seconds: float, severity: Level) -> None:
    """CRITICAL has half a minute and HIGH a minute, unless the policy says otherwise."""
    assert seconds == assess(draft(), found(severity), shipped("strict")).deadline_seconds


def test_an_unread_analysis_is_never_below_high(tmp_path: Path) -> None:
    """No policy file lowers what could not be read below HIGH."""
    lax = policy(
        tmp_path,
        CLEAN + "  - {id: analysis-incomplete, enabled: false}\n  - {id: code-execution, risk: medium}\n",
    )
    assert Level.MEDIUM is assess(draft(), found(Level.LOW), lax).risk
    assert Level.HIGH is assess(draft(), Analysis(complete=False), lax).risk


def test_what_no_rule_covers_is_high(tmp_path: Path) -> None:
    """Without a rule for it, a person decides."""
    bare = policy(tmp_path, "rules:\n  - {id: code-execution, enabled: false}\n")
    assessment = assess(draft(), Analysis(), bare)
    assert (Level.HIGH, ["no-rule"]) == (assessment.risk, rules(assessment))


@pytest.mark.parametrize(("own", "shown"), [("", "mine"), ("reason: ours, ", "ours")])
def test_a_rule_without_findings_shows_its_reason_or_its_id(tmp_path: Path, own: str, shown: str) -> None:
    """Every match has a reason: that of the rule, or else its id."""
    rule = f"rules:\n  - {{id: mine, {own}risk: high, when: {{operation: run}}}}\n"
    matches = assess(draft(), Analysis(), policy(tmp_path, rule)).matches
    assert [shown] == [match.reason.text for match in matches if match.rule == "mine"]


def test_every_match_is_told_with_the_highest_first() -> None:
    """A reviewer sees all reasons, the gravest on top."""
    analysis = Analysis(violations=(violation(Level.CRITICAL),), complete=False)
    expected = ["critical-violation", "analysis-incomplete", "code-execution"]
    assert expected == rules(assess(draft(), analysis, shipped("strict")))


def test_clean_code_is_approved_at_once_where_the_operator_says_so(tmp_path: Path) -> None:
    """The two lines that the shipped file shows lower clean code to LOW, and the reason stays visible."""
    assessment = assess(draft(), Analysis(), policy(tmp_path, CLEAN))
    assert (Level.LOW, None) == (assessment.risk, assessment.deadline_seconds)
    assert {"code-execution", "clean-code"} == set(rules(assessment))
    assert any("lowered by clean-code" in match.reason.text for match in assessment.matches)


@pytest.mark.parametrize(
    ("asked", "analysis", "code"),
    [
        (Permissions(), found(Level.LOW), "print(1)"),
        (Permissions(), Analysis(), "\n" * 200),
        (Permissions(), Analysis(complete=False), "print(1)"),
        (Permissions(files=(Untrusted("a"),)), Analysis(), "print(1)"),
        (Permissions(secrets=(Untrusted("a"),)), Analysis(), "print(1)"),
        (Permissions(session=True), Analysis(), "print(1)"),
        (Permissions(limits=Limits(memory_mb=513)), Analysis(), "print(1)"),
        (Permissions(packages=(PACKAGE,)), Analysis(), "print(1)"),
    ],
)
def test_only_clean_code_is_lowered(
    tmp_path: Path, asked: Permissions, analysis: Analysis, code: str
) -> None:
    """A violation, a capability, length, or an unread part keeps it HIGH."""
    assert Level.HIGH is assess(draft(asked, code), analysis, policy(tmp_path, CLEAN)).risk


def test_a_rule_may_refuse(tmp_path: Path) -> None:
    """A rule that refuses stands first and says that nobody is asked."""
    text = "rules:\n  - {id: no-crypto, refuse: true, when: {code: '(?i)xmrig'}, match: [{code: XMRig}]}\n"
    first = assess(draft(code="a\nxmrig"), Analysis(), policy(tmp_path, text)).matches[0]
    assert ("no-crypto", True) == (first.rule, first.refuses)
    assert first.reason.text.startswith("line 2:")


def test_known_hosts_are_no_longer_critical(tmp_path: Path) -> None:
    """An allowlist in `domains_outside` takes its hosts out of the rule, and no others."""
    listed = policy(
        tmp_path, "rules:\n  - {id: network, when: {domains_outside: [example.org, '*.api.example']}}\n"
    )
    for name, risk in [
        ("example.org", Level.HIGH),
        ("v1.api.example", Level.HIGH),
        ("www.example.org", Level.CRITICAL),
        ("api.example", Level.CRITICAL),
        ("evil-api.example", Level.CRITICAL),
        ("example.org.evil.example", Level.CRITICAL),
    ]:
        asked = Permissions(domains=(Untrusted(name),))
        assert risk is assess(draft(asked), Analysis(), listed).risk, name


def test_an_expression_that_would_run_away_does_not(tmp_path: Path) -> None:
    """A pattern that takes other engines for ever answers on 100,000 characters."""
    hostile = policy(tmp_path, "rules:\n  - {id: slow, risk: high, when: {code: '^(a+)+$'}}\n")
    assert ["code-execution"] == rules(assess(draft(code="a" * 100_000 + "!"), Analysis(), hostile))


CONDITIONS = [
    "operation: run", "language: python", "code: print", "lines_over: 3", "lines_under: 9",
    "incomplete: true",
    "violation: {severity: high}", "violation: {category: exec_eval}", "predicts: host",
    "requests: [files, memory]", "domains_outside: ok.example", "domains_among: ok.example",
    "registries_outside: npm",
    "limits_over: {memory_mb: 1000}",
]  # fmt: skip
LOWERING = [
    "no_violation: low", "no_violation: high", "requests_only: [files]", "requests_only: []",
    "writes_only_workspace: true",
]  # fmt: skip

levels = st.sampled_from(Level)
raising = st.builds(
    lambda level, when, off: f"risk: {level}, enabled: {str(not off).lower()}, when: {{{', '.join(when)}}}",
    levels,
    st.lists(st.sampled_from(CONDITIONS), min_size=1, max_size=2, unique_by=lambda line: line.split(":")[0]),
    st.booleans(),
)
lowering = st.builds(
    lambda target, when: f"risk: low, lowers: {target}, when: {{{', '.join(when)}}}",
    st.sampled_from(["code-execution", "package"]),
    st.lists(st.sampled_from(LOWERING), min_size=1, max_size=2, unique_by=lambda line: line.split(":")[0]),
)


@st.composite
def policies(draw: st.DrawFn) -> str:
    """Draw a policy file of any rules, those that ship switched off at will."""
    lines = [f"  - {{id: r{n}, {rule}}}" for n, rule in enumerate(draw(st.lists(raising, max_size=5)))]
    lines += [f"  - {{id: l{n}, {rule}}}" for n, rule in enumerate(draw(st.lists(lowering, max_size=3)))]
    off = draw(st.sets(st.sampled_from([rule.spec.id for rule in shipped("strict").rules])))
    lines += [f"  - {{id: {id}, enabled: false}}" for id in sorted(off)]
    return "rules:\n" + "\n".join(lines) if lines else ""


@st.composite
def requests(draw: st.DrawFn) -> tuple[Draft, Analysis]:
    """Draw a submission with an analysis."""
    violations = tuple(
        violation(level, draw(st.sampled_from(["recon", "exec_eval"])))
        for level in draw(st.lists(levels, max_size=3))
    )
    asked: dict[str, Any] = {
        "files": draw(st.sampled_from([(), (Untrusted("a"),)])),
        "packages": draw(st.sampled_from([(), (PACKAGE,)])),
    }
    return draft(Permissions(**asked), "print(1)\n" * draw(st.sampled_from([1, 5, 20]))), Analysis(
        violations=violations, complete=draw(st.booleans()), unproven=draw(st.sampled_from([(), (WRITTEN,)]))
    )


MORE = [
    {"domains": (Untrusted("ok.example"),)},
    {"domains": (Untrusted("evil.example"),)},
    {"packages": (PACKAGE, FOREIGN)},
    {"files": (Untrusted("a"), Untrusted("b"))},
    {"secrets": (Untrusted("token"),)},
    {"session": True},
    {"limits": Limits(memory_mb=2000)},
]


@settings(max_examples=60, deadline=None)
@given(policies(), requests(), levels, st.sampled_from(["recon", "exec_eval"]))
def test_another_violation_never_lowers_the_risk(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    request_: tuple[Draft, Analysis],
    level: Level,
    category: str,
) -> None:
    """For every policy, risk is monotone in violations."""
    made, less = policy(tmp_path_factory.getbasetemp(), text), request_[1]
    more = less.model_copy(update={"violations": (*less.violations, violation(level, category))})
    assert assess(request_[0], less, made).risk.rank <= assess(request_[0], more, made).risk.rank


@settings(max_examples=60, deadline=None)
@given(policies(), requests(), st.sampled_from(MORE))
def test_another_capability_never_lowers_the_risk(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    request_: tuple[Draft, Analysis],
    more: dict[str, Any],
) -> None:
    """For every policy, risk is monotone in what is asked for."""
    made, (less, analysis) = policy(tmp_path_factory.getbasetemp(), text), request_
    asked = less.model_copy(update={"permissions": less.permissions.model_copy(update=more)})
    assert assess(less, analysis, made).risk.rank <= assess(asked, analysis, made).risk.rank


@settings(max_examples=60, deadline=None)
@given(policies(), requests())
def test_an_unread_part_is_high_for_every_policy(
    tmp_path_factory: pytest.TempPathFactory, text: str, request_: tuple[Draft, Analysis]
) -> None:
    """For every policy, what could not be read is HIGH at least."""
    unread = request_[1].model_copy(update={"complete": False})
    made = policy(tmp_path_factory.getbasetemp(), text)
    assert Level.HIGH.rank <= assess(request_[0], unread, made).risk.rank
