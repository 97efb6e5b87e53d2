"""Whatever stands in a file: it is refused with a place, or what is imported never lowers a risk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models import Language, Permissions
from engine.policy import PolicyError, load
from engine.policy.imports.imported import ImportedEntry
from engine.policy.imports.reading import ImportSource, read_entries
from engine.policy.imports.rendering import describe, policy_text
from engine.policy.request_facts import RequestFacts
from engine.policy.risk import classify

TEXT = st.text(max_size=40)
ODD = TEXT | st.sampled_from(
    ["\n  - id: network", "\u2028rules: []", "\x85x: 1", "# y", "'", '"', "\x1b[2J", "*.com", "\ufeff", "&a *a", "!!x"]  # noqa: E501
)  # fmt: skip
SPECIFIER = st.lists(
    st.sampled_from(["git", "push", "*", ":*", " ", "(", ")", "\\", "[", "é", "|"]) | ODD, max_size=6
)
RULE = st.builds(
    lambda tool, parts: f"{tool}({''.join(parts)})",
    st.sampled_from(["Bash", "WebFetch", "Read", "Bash(", "mcp__x"]),
    SPECIFIER,
)
HOST = st.sampled_from(
    ["api.example.org", "*.example.org", "**.a.example", "localhost", "not-on-the-list-0.example"]
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | ODD, lambda inner: st.lists(inner, max_size=3), max_leaves=5
)
PERMISSIONS = st.fixed_dictionaries(
    {
        name: st.lists(RULE | ANY | HOST.map("WebFetch(domain:{})".format), max_size=4)
        for name in ("allow", "ask", "deny")
    }
)
CLAUDE = st.builds(
    lambda rules, hosts: {"permissions": rules, "sandbox": {"network": {"deniedDomains": hosts}}},
    PERMISSIONS,
    st.lists(HOST | ANY, max_size=3),
)
ENDPOINT = ANY | st.fixed_dictionaries(
    {"host": HOST | ANY, "port": ANY}, optional={"access": ANY, "rules": ANY}
)
OPENSHELL = st.builds(
    lambda name, endpoints, more: {"version": 1, "network_policies": {name: {"endpoints": endpoints}}, **more},  # noqa: E501
    ODD.filter(bool), st.lists(ENDPOINT, max_size=4), st.dictionaries(ODD.filter(bool), ANY, max_size=2),
)  # fmt: skip
PATTERN = st.fixed_dictionaries(
    {"pattern": ODD | ANY, "description": ODD | ANY, "severity": st.integers(-1, 4) | ANY}
)
SANDBOX = st.fixed_dictionaries(
    {
        "severity_threshold": st.integers(0, 3),
        "patterns": st.lists(PATTERN | ANY, max_size=4),
        "restricted_modules": st.lists(
            st.fixed_dictionaries({"name": st.sampled_from(["os", "a.b"]) | ODD, "severity": st.integers(0, 3)}), max_size=3  # noqa: E501
        ),
    }
)  # fmt: skip
FILES = st.one_of(
    st.tuples(st.just("claude-code"), CLAUDE),
    st.tuples(st.just("openshell"), OPENSHELL),
    st.tuples(st.just("llm-sandbox"), SANDBOX),
    st.tuples(st.just("bandit"), st.fixed_dictionaries({"results": st.lists(ANY | st.dictionaries(ODD, ANY), max_size=3)})),  # noqa: E501
)  # fmt: skip


def requests() -> list[RequestFacts]:
    """Return facts that remember the rules of no other policy."""
    return [
        RequestFacts(code="git push\nrm -rf x", language=Language.SHELL),
        RequestFacts(code="print(1)", language=Language.PYTHON, proven=True),
        RequestFacts(code="import os", language=Language.PYTHON),
        *(
            RequestFacts(permissions=Permissions(domains=(Untrusted(host),)))
            for host in ("api.example.org", "x.org")
        ),
    ]


def read(folder: Path, source: str, name: str, content: bytes) -> tuple[ImportedEntry, ...]:
    """Return the entries of a file."""
    file = folder / name
    file.write_bytes(content)
    return read_entries(ImportSource(source), file, lambda code: ())


@settings(max_examples=300, deadline=None)
@given(FILES)
def test_an_import_never_lowers_a_risk(
    tmp_path_factory: pytest.TempPathFactory, given_file: tuple[str, object]
) -> None:
    """What it writes is a policy whose examples hold, and each request has the risk that it had, or more."""
    folder = tmp_path_factory.mktemp("import")
    source, value = given_file
    try:
        entries = read(folder, source, "file.json", json.dumps(value, ensure_ascii=False).encode())
    except PolicyError:
        return
    target = folder / "policy.yaml"
    target.write_text(policy_text("file.json", entries))
    policy, shipped = load(target), load()
    rules = {entry.rule["id"] for entry in entries if entry.rule}
    assert rules == {rule.spec.id for rule in policy.rules} - {rule.spec.id for rule in shipped.rules}
    for before, after in zip(requests(), requests(), strict=True):
        assert classify(before, shipped).risk.rank <= classify(after, policy).risk.rank
    assert all(describe(entry).isprintable() for entry in entries)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([*ImportSource]),
    st.sampled_from(["a.py", "a.json", "a.yaml"]),
    st.binary(max_size=200) | st.text(max_size=200).map(str.encode),
)
def test_any_bytes_are_read_or_refused_with_a_place(
    tmp_path_factory: pytest.TempPathFactory, source: ImportSource, name: str, content: bytes
) -> None:
    """Nothing else is raised."""
    try:
        read(tmp_path_factory.mktemp("import"), source, name, content)
    except PolicyError as error:
        said = [fault for fault in error.faults if fault.place.line >= 1 and fault.message]
        if list(error.faults) != said or not said:
            pytest.fail(f"no place or no words: {error}")


@pytest.mark.parametrize(
    ("source", "name", "content", "said"),
    [
        ("claude-code", "a.json", b'{"permissions": {"deny": ["Bash"], "deny": []}}', "occurs twice"),
        ("claude-code", "a.json", b'{"permissions": ' + b"[" * 5000, "nested too deeply"),
        ("claude-code", "a.json", b'{"permissions": {"deny": "Bash"}}', "is a list"),
        ("claude-code", "a.json", b'{"hooks": {}}', "no settings of Claude Code"),
        ("claude-code", "a.json", b'{"permissions": {"deny": ["\\ud800"]}}', "half of a character"),
        ("openshell", "a.yaml", b"version: 2\n", "version: 1"),
        ("openshell", "a.yaml", b"version: 1\nx: &a [*a]\n", "anchors"),
        ("openshell", "a.yaml", b"version: 1\nx: !!python/object:os.system {}\n", "not read here"),
        ("llm-sandbox", "a.py", b"(" * 100000, "no Python"),
        ("llm-sandbox", "a.py", b"-" * 100000 + b"1", "no Python|no SecurityPolicy"),
        ("llm-sandbox", "a.py", b"x = 1\n", "no SecurityPolicy"),
        ("llm-sandbox", "a.py", b"\0", "no Python"),
        ("bandit", "a.json", b'{"results": ' + b"[" * 100000, "not JSON"),
        ("bandit", "a.json", b'{"results": [' + b"1," * 2000 + b"1]}", "more than 2000"),
        ("bandit", "a.py", b"\xff", "not UTF-8"),
        ("openshell", "a.yaml", b"#" * 300000, "larger than"),
    ],
)
def test_a_hostile_file_is_refused(source: str, name: str, content: bytes, said: str, tmp_path: Path) -> None:
    """With what is wrong."""
    with pytest.raises(PolicyError, match=said):
        read(tmp_path, source, name, content)


def test_python_source_is_not_run(tmp_path: Path) -> None:
    """A preset that would write a file leaves none."""
    mark = tmp_path / "ran"
    source = (
        f"open({str(mark)!r}, 'w')\nSecurityPolicy(patterns=[SecurityPattern(pattern='x', severity=3)])\n"
    )
    assert 2 == len(read(tmp_path, "llm-sandbox", "a.py", source.encode()))
    assert not mark.exists()
