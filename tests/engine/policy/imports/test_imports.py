"""Policies of other tools become rules that do the same, and each entry is explained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.analysis import analyse
from engine.common.text import Untrusted
from engine.models import Language, Level, Permissions, Violation
from engine.policy import Policy, PolicyError, load
from engine.policy.imports.imported import ImportedEntry
from engine.policy.imports.reading import ImportSource, read_entries
from engine.policy.imports.rendering import policy_text
from engine.policy.request_facts import RequestFacts
from engine.policy.risk import classify

PRESETS = '''
def create_production_policy():
    """Strict."""
    return SecurityPolicy(
        severity_threshold=SecurityIssueSeverity.MEDIUM,
        patterns=[
            SecurityPattern(pattern=r"\\bos\\.system\\s*\\(", description="a", severity=Severity.HIGH),
            SecurityPattern(pattern=r"\\bos\\.environ", description="b", severity=Severity.LOW),
            SecurityPattern(pattern=r"(?<!a)b", description="c", severity=Severity.HIGH),
            SecurityPattern(pattern=NAMED, description="Elsewhere", severity=Severity.HIGH),
        ],
        restricted_modules=[
            RestrictedModule(name="ctypes", description="Foreign code", severity=Severity.HIGH),
        ],
    )

def create_development_policy():
    return SecurityPolicy(severity_threshold=Severity.HIGH)
'''
OPENSHELL = """
version: 1
filesystem_policy: {include_workdir: true, read_only: [/usr]}
landlock: {compatibility: best_effort}
process: {run_as_user: sandbox}
network_policies:
  github:
    endpoints:
      - {host: api.github.com, port: 443, protocol: rest, access: read-only}
      - {host: "*.data.example", port: 8443}
      - {host: 10.0.0.1, port: 443}
    binaries:
      - {path: /usr/bin/curl}
"""
BASELINE = {
    "results": [
        {
            "test_id": "B602",
            "filename": "a.py",
            "line_number": 3,
            "code": "2 \n3 subprocess.call('ls ' + input(), shell=True)\n",
        },
        {"test_id": "B101", "filename": "a.py", "line_number": 1, "code": "1 assert True\n"},
        "no result",
    ]
}


def python(code: str) -> tuple[Violation, ...]:
    """Return what the analysis finds."""
    return analyse(code, Language.PYTHON).violations


def imported(
    folder: Path, source: str, name: str, text: str, policy: str = ""
) -> tuple[Policy, list[ImportedEntry]]:
    """Return the policy that an import writes, loaded, and its entries."""
    file = folder / name
    file.write_text(text)
    entries = read_entries(ImportSource(source), file, python, policy=policy)
    target = folder / "policy.yaml"
    target.write_text(policy_text(name, entries))
    return load(target), list(entries)


def claude(folder: Path, **lists: list[str]) -> tuple[Policy, list[ImportedEntry]]:
    """Return the import of permission rules."""
    return imported(folder, "claude-code", "settings.json", json.dumps({"permissions": lists}, indent="\t"))


def refused(policy: Policy, facts: RequestFacts) -> bool:
    """Return whether a policy refuses a request without a review."""
    return any(match.refuses for match in policy.matches(facts))


def shell(code: str, *, proven: bool = False) -> RequestFacts:
    """Return the facts about shell code."""
    return RequestFacts(code=code, language=Language.SHELL, proven=proven)


def asks_for(*domains: str) -> RequestFacts:
    """Return the facts about code that requests hosts."""
    return RequestFacts(permissions=Permissions(domains=tuple(Untrusted(name) for name in domains)))


@pytest.mark.parametrize(
    ("rule", "commands", "others"),
    [
        (
            "Bash(curl:*)",
            ["curl", "curl -s x", "a; curl x", "if a; then curl x; fi"],
            ["curly", "my-curl"],
        ),
        (
            "Bash(rm -rf *)",
            ["rm -rf /", "a; rm  -rf x", "sudo rm -rf x", "$(rm -rf x)"],
            ["rm -rfx", "rm x"],
        ),
        ("Bash(git push)", ["git push", "git push; ls", "git push && ls"], ["git push origin", "git pull"]),
        ("Bash(* --force)", ["git push --force"], ["git push --force-with-lease"]),
        ("Bash(ls*)", ["ls", "lsof"], ["als"]),
        ("Bash", ["anything"], []),
        ("Bash(*)", ["anything"], []),
    ],
)
def test_a_denied_command_is_refused(
    rule: str, commands: list[str], others: list[str], tmp_path: Path
) -> None:
    """Where a command begins, in shell code; longer words are other commands."""
    policy, _ = claude(tmp_path, deny=[rule])
    assert dict.fromkeys(commands, True) == {one: refused(policy, shell(one)) for one in commands}
    assert dict.fromkeys(others, False) == {one: refused(policy, shell(one)) for one in others}


def test_what_was_asked_about_is_high_even_if_it_is_harmless(tmp_path: Path) -> None:
    """`ask` is a person's decision."""
    policy, _ = claude(tmp_path, ask=["Bash(echo *)"])
    assert (Level.HIGH, Level.MEDIUM) == (
        classify(shell("echo a", proven=True), policy).risk,
        classify(shell("true", proven=True), policy).risk,
    )


def test_what_was_allowed_is_left_out(tmp_path: Path) -> None:
    """An allow rule approves nothing here, and the reason is said."""
    policy, entries = claude(tmp_path, allow=["Bash(npm run:*)", "WebFetch(domain:docs.rs)", "mcp__a__b"])
    assert load().hash == policy.hash
    assert [4, 5, 6] == [entry.line for entry in entries]
    assert {"left out"} == {entry.status for entry in entries}


def test_denied_hosts_are_refused(tmp_path: Path) -> None:
    """By name, below a wildcard, and in a wildcard that contains them, however it is written."""
    policy, _ = claude(tmp_path, deny=["WebFetch(domain:a.bad.example)", "WebFetch(domain:*.evil.example)"])
    wrong = ["a.bad.example", "A.Bad.example.", "*.bad.example", "x.evil.example"]
    assert dict.fromkeys(wrong, True) == {host: refused(policy, asks_for(host)) for host in wrong}
    assert not refused(policy, asks_for("good.example.org", "b.bad.example"))


def test_settings_beside_the_rules_are_explained(tmp_path: Path) -> None:
    """Modes, folders and the client's own sandbox."""
    settings = {
        "permissions": {"defaultMode": "plan", "disableBypassPermissionsMode": "disable", "deny": ["Read(.env)"]},  # noqa: E501
        "sandbox": {"network": {"allowedDomains": ["github.com"], "deniedDomains": ["bad.example.org", "a"]}},
    }  # fmt: skip
    policy, entries = imported(tmp_path, "claude-code", "settings.json", json.dumps(settings))
    assert refused(policy, asks_for("bad.example.org"))
    by_text = {entry.text: entry.status.value for entry in entries}
    assert {
        "defaultMode plan": "left out",
        "disableBypassPermissionsMode disable": "covered",
        "deny Read(.env)": "covered",
        "sandbox.network.allowedDomains github.com": "covered",
        "sandbox.network.deniedDomains bad.example.org": "taken",
        "sandbox.network.deniedDomains a": "left out",
    } == by_text


def test_a_policy_of_llm_sandbox_blocks_from_its_threshold_on(tmp_path: Path) -> None:
    """Patterns and modules; what is below, not literal or not in RE2 is left out with its line."""
    policy, entries = imported(tmp_path, "llm-sandbox", "presets.py", PRESETS, "create_production_policy")
    blocked = ["os.system('x')", "import os, ctypes", "from ctypes import x", "__import__('ctypes')"]
    passed = ["os.environ", "b", "import ctypes_x", "x = 1"]
    said = [refused(policy, RequestFacts(code=code, language=Language.PYTHON)) for code in blocked + passed]
    assert [True] * 4 + [False] * 4 == said
    assert {7: "taken", 8: "left out", 9: "left out", 10: "left out", 13: "taken"} == {
        entry.line: entry.status.value for entry in entries if not entry.text.startswith("severity")
    }


def test_one_of_several_policies_is_named(tmp_path: Path) -> None:
    """The error lists their names."""
    with pytest.raises(PolicyError, match="create_production_policy, create_development_policy"):
        imported(tmp_path, "llm-sandbox", "presets.py", PRESETS)


def test_a_policy_of_llm_sandbox_as_json(tmp_path: Path) -> None:
    """As its model writes it: severities are numbers."""
    written = {
        "severity_threshold": 2,
        "patterns": [{"pattern": r"\beval\s*\(", "description": "Evaluation", "severity": 2}],
        "restricted_modules": [{"name": "socket", "description": "Network", "severity": 1}],
    }
    policy, entries = imported(tmp_path, "llm-sandbox", "policy.json", json.dumps(written))
    assert refused(policy, RequestFacts(code="eval (x)"))
    assert not refused(policy, RequestFacts(code="import socket", language=Language.PYTHON))
    assert ["covered", "left out", "taken"] == sorted(entry.status.value for entry in entries)


def test_hosts_outside_an_openshell_policy_are_refused(tmp_path: Path) -> None:
    """Those on its list are still reviewed, and what is narrower or no name is left out."""
    policy, entries = imported(tmp_path, "openshell", "policy.yaml", OPENSHELL)
    assert not refused(policy, asks_for("api.github.com", "a.data.example"))
    assert refused(policy, asks_for("api.github.com", "example.org"))
    assert Level.HIGH is classify(asks_for("api.github.com"), policy).risk
    left = [entry.text for entry in entries if entry.status.value == "left out"]
    assert [
        "github: api.github.com: protocol",
        "github: api.github.com: access",
        "github: *.data.example: port 8443",
        "github: 10.0.0.1",
        "github: binaries",
    ] == left


def test_an_openshell_policy_without_hosts_refuses_the_network(tmp_path: Path) -> None:
    """What it names is all that is reached."""
    policy, _ = imported(tmp_path, "openshell", "policy.yaml", "version: 1\n")
    assert refused(policy, asks_for("api.github.com"))
    assert not refused(policy, RequestFacts())


def test_nosec_accepts_nothing(tmp_path: Path) -> None:
    """A comment in the code is its author's word; it says which findings stay."""
    code = (
        "import subprocess  # nosec B404\nx = 1  # nosec\n"
        "subprocess.call('ls ' + input(), shell=True)  # nosec: B602\n"
    )
    policy, entries = imported(tmp_path, "bandit", "a.py", code)
    assert load().hash == policy.hash
    assert ["covered", "covered", "left out"] == [entry.status.value for entry in entries]
    assert "py-process-foreign (high)" in entries[2].reason


def test_a_baseline_accepts_nothing(tmp_path: Path) -> None:
    """Each result is looked up in the code that the baseline has of it."""
    policy, entries = imported(tmp_path, "bandit", "baseline.json", json.dumps(BASELINE))
    assert load().hash == policy.hash
    assert [("B602 in a.py:3", "left out"), ("B101 in a.py:1", "covered"), ("? in ?:?", "left out")] == [
        (entry.text, entry.status.value) for entry in entries
    ]
