"""Policy files: what is refused, where it says so, and what lies on top of what."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.models import Level
from engine.models.observed import SurpriseReport
from engine.policy import Policy, PolicyError, load, shipped

RULE = "rules:\n  - id: mine\n    risk: high\n    when:\n"


def faults(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    """Return the lines and messages with which a policy file is refused."""
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    with pytest.raises(PolicyError) as refused:
        load(file, base="strict")
    assert {file} == {fault.place.file for fault in refused.value.faults}
    return [(fault.place.line, fault.message) for fault in refused.value.faults]


@pytest.mark.parametrize(
    ("line", "said", "text"),
    [
        (1, "unknown key `ruls`", "ruls: []\n"),
        (3, "unknown key `wen`", "rules:\n  - id: network\n    wen: {}\n"),
        (5, "unknown key `ask`", RULE + "      ask: domains\n"),
        (1, "includes itself", "include: policy.yaml\n"),
        (2, "there is no file", "include:\n  - missing.yaml\n"),
        (2, "is no file name", "include:\n  - 3\n"),
        (5, "cannot run away", RULE + "      code: '(a+)+(?=b)'\n"),
        (5, "cannot run away", RULE + r"      code: '(a)\1'"),
        (5, "at most 1000", RULE + f"      code: '{'a' * 1001}'\n"),
        (2, "no deadline", "deadlines:\n  high: -1\n"),
        (2, "no deadline", "deadlines:\n  high: 0\n"),
        (2, "no `never`", "deadlines:\n  high: never\n"),
        (2, "no `never`", "deadlines:\n  high: .inf\n"),
        (2, "no `never`", "deadlines:\n  high: .nan\n"),
        (2, "no `never`", "deadlines:\n  high: true\n"),
        (2, "no `never`", "deadlines:\n  high:\n"),
        (2, "no deadline", "deadlines:\n  high: 604801\n"),
        (2, "`low` has no deadline", "deadlines:\n  low: 30\n"),
        (2, "`hihg` is no risk", "deadlines:\n  hihg: 30\n"),
        (1, "a line for each", "deadlines: 60\n"),
        (5, "`gpu` is no permission", RULE + "      requests: [domains, gpu]\n"),
        (5, "`jump` is no operation", RULE + "      operation: jump\n"),
        (5, "`cobol` is no language", RULE + "      language: cobol\n"),
        (5, "`severe` is no risk", RULE + "      violation: {severity: severe}\n"),
        (2, "`when` is missing", "rules:\n  - id: mine\n    risk: high\n"),
        (2, "either `risk` or", "rules:\n  - id: mine\n    when: {operation: run}\n"),
        (2, "either `risk` or", "rules:\n  - {id: mine, risk: low, refuse: true, when: {operation: run}}\n"),
        (2, "an `id`", "rules:\n  - risk: high\n"),
        (2, "pattern", "rules:\n  - {id: My Rule, risk: high, when: {operation: run}}\n"),
        (3, "is defined twice", "rules:\n  - {id: network, risk: high}\n  - {id: network, risk: low}\n"),
        (2, "occurs twice", "include: []\ninclude: []\n"),
        (1, "is a list", "rules: high\n"),
        (1, "holds keys", "- network\n"),
        (2, "cannot be lowered", "rules:\n  - {id: clean-code, lowers: network}\n"),
        (2, "no rule `nothing`", "rules:\n  - {id: clean-code, lowers: nothing}\n"),
        (2, "is not below", "rules:\n  - {id: clean-code, lowers: housekeeping}\n"),
        (2, "lowers the risk itself", "rules:\n  - {id: clean-code, lowers: clean-code}\n"),
        (5, "a rule that lowers", RULE + "      no_violation: high\n"),
        (4, "a rule that raises", "rules:\n  - id: clean-code\n    when:\n      requests: files\n"),
        (2, "anchors", "rules:\n  - &a {id: network}\n  - *a\n"),
        (1, "is not read here", "rules: !!python/object/apply:os.getcwd []\n"),
        (2, "not YAML", "rules: [\n"),
        (1, "nested too deeply", "rules: " + "[" * 1500),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, line: int, said: str, text: str) -> None:
    """Each mistake is refused at its line, in words."""
    found = faults(tmp_path, text)
    assert any(said in message and at == line for at, message in found), found


@pytest.mark.parametrize(
    "domain",
    ["*", "*.*", "http://evil", "127.0.0.1", "169.254.169.254", "[::1]", "::1", "0x7f.1", "2130706433",
     "localhost", "db.internal", "printer.local", "*.org", "org", "evil.example:443", "a@b.example",
     "exa mple.org", "EXAMPLE.org", "a..b.example", "-a.example", "пример.example", "example.org/",
     "", "a.0x1"],
)  # fmt: skip
def test_an_allowlist_takes_names_alone(tmp_path: Path, domain: str) -> None:
    """What covers everything, an address in any notation, or a name of the inside is refused at its line."""
    text = f"rules:\n  - id: network\n    when:\n      domains_outside:\n        - '{domain}'\n"
    assert [5] == [line for line, _ in faults(tmp_path, text)]


@pytest.mark.parametrize("domain", ["example.org", "*.example.org", "xn--e1afmkfd.example", "a-1.b2.example"])
def test_an_allowlist_takes_domains(tmp_path: Path, domain: str) -> None:
    """A full name stands in an allowlist, and so does everything below one of two labels."""
    file = tmp_path / "policy.yaml"
    file.write_text(f"rules:\n  - {{id: network, when: {{domains_outside: '{domain}'}}}}\n")
    assert load(file, base="strict").hash != shipped("strict").hash


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    """A file with three mistakes is answered with three lines."""
    text = (
        "deadlines:\n  high: never\nrules:\n  - id: network\n    rsik: low\n  - id: package\n    risk: tiny\n"
    )
    assert [2, 5, 7] == [line for line, _ in faults(tmp_path, text)]


def test_a_failing_example_is_named(tmp_path: Path) -> None:
    """A policy whose examples fail is refused by file, line and example."""
    text = (
        RULE + "      requests: secrets\n    match:\n      - secrets: token\n      - domains: example.org\n"
    )
    assert [(8, "`mine`: example 2 of `match` should match and does not")] == faults(tmp_path, text)


def test_a_failing_counter_example_is_named(tmp_path: Path) -> None:
    """The same holds for what a rule must not match."""
    text = RULE + "      requests: secrets\n    not_match:\n      - secrets: token\n"
    assert [(7, "`mine`: example 1 of `not_match` should not match and does")] == faults(tmp_path, text)


def test_a_cycle_through_another_file_is_told_where_it_closes(tmp_path: Path) -> None:
    """The fault stands in the file whose include leads back."""
    (tmp_path / "a.yaml").write_text("include: b.yaml\n")
    (tmp_path / "b.yaml").write_text("# b\ninclude: a.yaml\n")
    with pytest.raises(PolicyError) as refused:
        load(tmp_path / "a.yaml", base="strict")
    assert f"{tmp_path}/b.yaml:2: includes itself: a.yaml -> b.yaml -> a.yaml" == str(refused.value)


def test_an_included_file_lies_below(tmp_path: Path) -> None:
    """What a file says itself goes over what it includes, key by key."""
    (tmp_path / "below.yaml").write_text("deadlines: {high: 10, medium: 11}\n")
    (tmp_path / "top.yaml").write_text("include: below.yaml\ndeadlines:\n  high: 20\n")
    expected = {Level.CRITICAL: 30.0, Level.HIGH: 20.0, Level.MEDIUM: 11.0}
    assert expected == load(tmp_path / "top.yaml", base="strict").deadlines


def test_one_line_changes_a_deadline() -> None:
    """Settings change one deadline and leave the others."""
    expected = {Level.CRITICAL: 30.0, Level.HIGH: 300.0, Level.MEDIUM: 120.0}
    assert expected == load(deadlines={Level.HIGH: 300.0}, base="strict").deadlines


def test_the_hash_is_of_what_the_policy_says(tmp_path: Path) -> None:
    """A comment leaves the hash as it is; another deadline does not."""
    file = tmp_path / "policy.yaml"
    file.write_text("# nothing\n")
    assert shipped("strict").hash == load(file, base="strict").hash
    file.write_text("deadlines: {high: 61}\n")
    assert shipped("strict").hash != load(file, base="strict").hash


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are told with their line."""
    file = tmp_path / "policy.yaml"
    file.write_bytes(b"# one\n\xff\n")
    with pytest.raises(PolicyError, match=":2: not UTF-8"):
        load(file, base="strict")


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    """A policy file is at most a mebibyte."""
    file = tmp_path / "policy.yaml"
    file.write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(PolicyError, match="larger than 1048576 bytes"):
        load(file, base="strict")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("rules:- idwhen{}[]&*!#'\"\n\t  0.,<>|%@`é\x00"), max_size=80))
def test_any_text_is_a_policy_or_a_policy_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """No file content leads to any other exception."""
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_text(text)
    with contextlib.suppress(PolicyError):
        assert load(file, base="strict").rules


@pytest.mark.parametrize(
    ("text", "observed_only", "on_request", "always_for"),
    [
        ("", False, False, None),
        ("observed: required\n", True, False, None),
        ("observed: optional\n", False, False, None),
        ("rehearse: {on_request: true}\n", False, True, None),
        ("rehearse: {always_for: high}\n", False, False, Level.HIGH),
    ],
)
def test_what_a_policy_asks_for_beside_its_rules(
    tmp_path: Path, text: str, observed_only: bool, on_request: bool, always_for: Level | None
) -> None:
    """Nothing is observed or rehearsed unless the file says so; a bare policy asks for nothing."""
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    policy = load(file, base="strict")
    assert (observed_only, on_request, always_for) == (
        policy.observed_only,
        policy.rehearse_on_request,
        policy.rehearse_always_for,
    )
    assert SurpriseReport.NONE is policy.surprises_for_agent
    bare = Policy(policy.rules, policy.deadlines, policy.hash)
    assert (False, False, None) == (bare.observed_only, bare.rehearse_on_request, bare.rehearse_always_for)


@pytest.mark.parametrize("report", SurpriseReport)
def test_a_policy_says_what_agents_are_told_of_surprises(tmp_path: Path, report: SurpriseReport) -> None:
    """Each word means itself; another one is an error that names those that are known."""
    file = tmp_path / "policy.yaml"
    file.write_text(f"surprises_for_agent: {report}\n")
    assert report is load(file).surprises_for_agent
    file.write_text("surprises_for_agent: some\n")
    with pytest.raises(PolicyError, match="known are none, kinds, all"):
        load(file)
