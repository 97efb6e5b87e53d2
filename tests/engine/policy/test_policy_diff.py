"""What another policy would have decided."""

from __future__ import annotations

from pathlib import Path

from engine.common.text import Untrusted
from engine.models import Analysis, DecisionOutcome, Draft, Language, Level, Permissions
from engine.policy import Policy, load, shipped
from engine.policy.files.policy_diff import PastSubmission, PolicyOutcome, policy_diff

ALLOW, ASK, DENY = PolicyOutcome.ALLOW, PolicyOutcome.ASK, PolicyOutcome.DENY


def stored(id: str, code: str, outcome: DecisionOutcome | None = None) -> PastSubmission:
    """Return a submission of the past with a clean analysis."""
    draft = Draft(code=Untrusted(code), language=Language.PYTHON, permissions=Permissions())
    return PastSubmission(id, draft, Analysis(), outcome, "did this")


def policy(folder: Path, *rules: str) -> Policy:
    """Return the shipped policy with rules on top."""
    file = folder / "policy.yaml"
    file.write_text("rules:\n" + "".join(f"  - {{{rule}}}\n" for rule in rules))
    return load(file, base="strict")


def test_the_same_policy_flips_nothing() -> None:
    """Nothing differs from itself."""
    assert () == policy_diff([stored("a", "print(1)")], shipped("strict"), shipped("strict"))


def test_what_was_denied_and_would_be_allowed_stands_first(tmp_path: Path) -> None:
    """DENY to ALLOW is on top, then what loosens most; what tightens is last."""
    new = policy(
        tmp_path,
        "id: clean-code, enabled: true",
        "id: no-rm, refuse: true, when: {code: rm}",
        "id: hot, risk: critical, when: {code: hot}",
    )
    past = [
        stored("refused", "rm", DecisionOutcome.APPROVED),
        stored("graver", "hot " + "\n" * 300),
        stored("approved", "print(1)", DecisionOutcome.APPROVED),
        stored("same", "\n" * 300, DecisionOutcome.DENIED),
        stored("expired", "print(3)", DecisionOutcome.EXPIRED),
        stored("denied", "print(2)", DecisionOutcome.DENIED),
        stored("undecided", "print(2)"),
    ]
    expected = [
        ("denied", DENY, ALLOW),
        ("expired", DENY, ALLOW),
        ("undecided", ASK, ALLOW),
        ("approved", ALLOW, ALLOW),
        ("graver", ASK, ASK),
        ("refused", ALLOW, DENY),
    ]
    found = policy_diff(past, shipped("strict"), new)
    assert expected == [(flip.id, flip.before, flip.after) for flip in found]
    assert {"did this"} == {flip.did for flip in found}
    assert (Level.HIGH, Level.LOW) == (found[0].old.risk, found[0].new.risk)
