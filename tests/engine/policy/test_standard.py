"""The shipped policy `standard`: a level says how much was proven, not that code is code."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models import (
    Analysis,
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
    Verdict,
    Violation,
)
from engine.policy import assess, load, shipped

PROVEN = Analysis(verdict=Verdict.HARMLESS)
UNPROVEN = Analysis()
NETWORK = Permissions(domains=(Untrusted("example.org"),))
PERMISSIONS = [
    NETWORK,
    Permissions(packages=(Package(name=Untrusted("left-pad"), version=Untrusted("1.0")),)),
    Permissions(files=(Untrusted("a.csv"),)),
    Permissions(secrets=(Untrusted("KEY"),)),
    Permissions(builds=(Untrusted("left-pad"),)),
    Permissions(session=True),
    Permissions(limits=Limits(memory_mb=513)),
]
AT_ONCE = "rules:\n  - {id: clean-code, enabled: true}\n"


def draft(permissions: Permissions | None = None, operation: Operation | None = None) -> Draft:
    """Return a draft that asks for `permissions`."""
    return Draft(
        code=Untrusted("print(1)"),
        language=Language.PYTHON,
        permissions=permissions or Permissions(),
        operation=operation,
        session="ses-1" if operation else "",
    )


def found(severity: Level, category: str = "recon") -> Analysis:
    """Return an analysis with one violation."""
    place = Span(line=1, column=1, end_line=1, end_column=2)
    one = Violation(
        rule="r",
        severity=severity,
        confidence=Confidence.HIGH,
        category=category,
        span=place,
        message=Untrusted("m"),
    )
    return Analysis().with_violations((one,))


@pytest.mark.parametrize(
    ("level", "permissions", "analysis"),
    [
        (Level.MEDIUM, Permissions(), PROVEN),
        (Level.HIGH, Permissions(), UNPROVEN),
        *[(Level.HIGH, asked, PROVEN) for asked in PERMISSIONS],
        (Level.HIGH, Permissions(), found(Level.HIGH, "exec_eval")),
        (Level.HIGH, Permissions(), found(Level.HIGH, "fs_delete")),
        (Level.HIGH, Permissions(), found(Level.HIGH, "net_download")),
        (Level.CRITICAL, NETWORK, found(Level.HIGH, "net_download")),
        (Level.CRITICAL, Permissions(), found(Level.HIGH, "reverse_shell")),
        (Level.CRITICAL, Permissions(), found(Level.HIGH, "escape_gadget")),
        (Level.CRITICAL, Permissions(), found(Level.CRITICAL)),
        (Level.HIGH, Permissions(), Analysis(complete=False)),
    ],
)
def test_the_table_of_levels(level: Level, permissions: Permissions, analysis: Analysis) -> None:
    """Each row of the table in the documentation holds."""
    assert level is assess(draft(permissions), analysis, shipped()).risk


@pytest.mark.parametrize(
    ("seconds", "analysis"), [(900, found(Level.CRITICAL)), (1800, UNPROVEN), (3600, PROVEN)]
)
def test_deadlines_are_minutes(seconds: float, analysis: Analysis) -> None:
    """A person has 15 minutes at CRITICAL, 30 at HIGH and an hour at MEDIUM."""
    assert seconds == assess(draft(), analysis, shipped()).deadline_seconds


@given(st.sampled_from([PROVEN, UNPROVEN, found(Level.LOW), found(Level.HIGH)]), st.sampled_from(PERMISSIONS))
def test_no_code_is_approved_without_a_person(analysis: Analysis, asked: Permissions) -> None:
    """As shipped, code of any kind waits for a person."""
    assert Level.LOW is not assess(draft(asked), analysis, shipped()).risk
    assert Level.LOW is not assess(draft(), analysis, shipped()).risk


def test_only_what_is_no_code_is_low() -> None:
    """Closing a session and reading metadata need nobody."""
    low = {
        kind
        for kind in OperationKind
        if assess(draft(operation=Operation(kind=kind)), UNPROVEN, shipped()).risk is Level.LOW
    }
    assert {OperationKind.DESTROY, OperationKind.METADATA} == low


@pytest.mark.parametrize(
    "analysis", [UNPROVEN, found(Level.LOW), found(Level.MEDIUM), Analysis(complete=False)]
)
def test_at_once_takes_a_proof(analysis: Analysis, tmp_path: Path) -> None:
    """Where the owner lets clean code run at once, that no rule matched is not enough: it takes a proof."""
    file = tmp_path / "policy.yaml"
    file.write_text(AT_ONCE)
    assert Level.LOW is assess(draft(), PROVEN, load(file)).risk
    assert Level.HIGH is assess(draft(), analysis, load(file)).risk
    assert all(Level.LOW is not assess(draft(asked), PROVEN, load(file)).risk for asked in PERMISSIONS)


@pytest.mark.parametrize("rule", ["{id: mine, risk: high, when: {proven: true}}"])
def test_a_proof_never_raises(rule: str, tmp_path: Path) -> None:
    """A rule that raises the risk cannot test for a proof: it would not match what lacks one."""
    file = tmp_path / "policy.yaml"
    file.write_text(f"rules:\n  - {rule}\n")
    with pytest.raises(Exception, match="belongs in a rule that lowers"):
        load(file)
