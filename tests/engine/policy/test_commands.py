"""Commands of coding agents: which rules of the policy bind them although they are proven harmless."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models import Language
from engine.policy import load, shipped
from engine.policy.commands import binding_rules, reason_of
from engine.policy.request_facts import RequestFacts
from engine.settings import PolicyBase

DENIED = "{id: denied, refuse: true, when: {code: 'echo a'}, match: [{code: echo a}]}"
ASKED = "{id: asked, risk: high, when: {code: 'echo'}, match: [{code: echo}]}"
RATED = "{id: rated, risk: medium, when: {operation: run}, match: [{code: echo}]}"


def bound(folder: Path, command: str, base: PolicyBase, *rules: str) -> list[str]:
    """Return the rules that bind a proven command under a policy with these rules of the user's own."""
    file = folder / "policy.yaml"
    file.write_text("rules:\n" + "".join(f"  - {rule}\n" for rule in rules))
    facts = RequestFacts(code=command, language=Language.SHELL, proven=True)
    return [one.rule for one in binding_rules(facts, load(file, base=base))]


@pytest.mark.parametrize("base", ["standard", "strict"])
def test_the_shipped_policies_bind_no_proven_command(base: PolicyBase) -> None:
    """That they rate all code is no objection to this command."""
    assert () == binding_rules(RequestFacts(code="echo", language=Language.SHELL, proven=True), shipped(base))


@pytest.mark.parametrize("base", ["standard", "strict"])
@pytest.mark.parametrize(
    ("command", "expected"),
    [("echo a", ["denied", "asked"]), ("echo b", ["asked"]), ("printf c", [])],
)
def test_own_rules_that_refuse_or_are_high_bind(
    tmp_path: Path, base: PolicyBase, command: str, expected: list[str]
) -> None:
    """Those that refuse come first; one that rates it lower than HIGH binds nothing."""
    assert expected == bound(tmp_path, command, base, RATED, ASKED, DENIED)


def test_a_shipped_rule_that_the_user_wrote_again_binds(tmp_path: Path) -> None:
    """Who writes themselves that all code is HIGH wants to decide about every command."""
    assert ["code-execution"] == bound(tmp_path, "printf c", "strict", "{id: code-execution, risk: high}")


def test_what_no_rule_covers_is_held(tmp_path: Path) -> None:
    """Who turns the shipped rule off that covers all code has said nothing in favour of any command."""
    assert ["no-rule"] == bound(tmp_path, "printf c", "strict", "{id: code-execution, enabled: false}")


def test_the_reason_names_the_rule(tmp_path: Path) -> None:
    """What the agent's model is told says which rule it was."""
    file = tmp_path / "policy.yaml"
    file.write_text(f"rules:\n  - {DENIED}\n")
    facts = RequestFacts(code="true\necho a", language=Language.SHELL, proven=True)
    expected = "the rule denied: line 2: the code matches an expression of the policy"
    assert expected == reason_of(binding_rules(facts, load(file)))
