"""Random policy files: each is a policy or is refused with places and words, whatever stands in it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from engine.common.text import visible
from engine.policy import PolicyError, load
from engine.policy.files.loading import SHIPPED
from tests.fuzzing import rounds

KEYS = [
    "id",
    "risk",
    "when",
    "match",
    "not_match",
    "enabled",
    "refuse",
    "lowers",
    "reason",
    "rules",
    "include",
    "deadlines",
    "operation",
    "language",
    "code",
    "lines_over",
    "lines_under",
    "executable",
    "weaker_runtime",
    "incomplete",
    "violation",
    "predicts",
    "requests",
    "domains_among",
    "domains_outside",
    "registries_outside",
    "limits_over",
    "proven",
    "writes_only_workspace",
    "no_violation",
    "requests_only",
    "predicts_only",
    "severity",
    "category",
    "rule",
    "memory_mb",
    "cpus",
    "seconds",
    "disk_mb",
    "output_kb",
    "processes",
    "domains",
    "packages",
    "files",
    "secrets",
    "builds",
    "session",
    "limits",
    "violations",
    "effects",
    "name",
    "version",
    "registry",
    "path",
    "critical",
    "high",
    "medium",
    "low",
]
WORDS = [
    *KEYS,
    "run",
    "python",
    "shell",
    "write",
    "read",
    "network",
    "package",
    "api.example.org",
    "*.x",
    "(",
    "a|b",
    "\ud800",
    "\0",
    "\u202e",
    "x" * 300,
    "x/" * 3000,
    "..",
    "",
    "~",
    "/dev/zero",
    "a.yaml",
    "[",
    "\\",
    "1.0",
]
NUMBERS = [0, 1, -1, 10**30, 2**53 + 1, 0.5, 1e308, -0.0, float("nan"), float("inf"), 60, 900]
BYTES = [b"&a ", b"*a", b"!!python/name:x ", b"\xff", b"\0", b": ", b"- ", b"%", b"\t", b"{" * 200, b"<<: "]


def value(random: Random, depth: int = 0) -> Any:
    """Return a random value, mostly small."""
    kind = random.random()
    if depth > 3 or kind < 0.35:
        return random.choice(WORDS)
    if kind < 0.5:
        return random.choice([*NUMBERS, True, False, None])
    if kind < 0.65:
        return [value(random, depth + 1) for _ in range(random.randint(0, 3))]
    return {random.choice(WORDS): value(random, depth + 1) for _ in range(random.randint(0, 4))}


def changed(random: Random, document: Any) -> Any:
    """Return a document with something else in one place."""
    if random.random() < 0.05 or not isinstance(document, dict | list) or not document:
        return value(random)
    if isinstance(document, list):
        at = random.randrange(len(document))
        return [changed(random, one) if number == at else one for number, one in enumerate(document)]
    key = random.choice(sorted(document, key=str))
    other = random.choice(KEYS) if random.random() < 0.1 else key
    return {
        other if one == key else one: changed(random, document[one]) if one == key else document[one]
        for one in document
    }


def text(random: Random, shipped: list[Any]) -> bytes:
    """Return a shipped policy with some places changed, as YAML, now and then with other bytes."""
    document = random.choice(shipped)
    for _ in range(random.randint(1, 3)):
        document = changed(random, document)
    data = yaml.safe_dump(document, allow_unicode=random.random() < 0.5).encode("utf-8", "surrogatepass")
    if random.random() < 0.3 and data:
        at = random.randrange(len(data))
        data = data[:at] + random.choice(BYTES) + data[at + random.randint(0, 3) :]
    return data


def refused(file: Path) -> tuple[str, ...]:
    """Return the faults of a policy file, none where it is a policy; check that both can be said."""
    try:
        policy = load(file, base="strict")
    except PolicyError as error:
        said = tuple(visible(str(fault)) for fault in error.faults)
        assert all(one and json.dumps(one).encode() and one.encode() for one in said)
        return said
    assert 64 == len(policy.hash)
    return ()


def test_any_policy_file_is_a_policy_or_refused_in_words(tmp_path: Path) -> None:
    """No content of a file ends in another error, and both ends come up."""
    shipped = [yaml.safe_load((SHIPPED / name).read_text()) for name in ("standard.yaml", "strict.yaml")]
    file, refusals, tried = tmp_path / "policy.yaml", 0, 0
    for random in rounds():
        for _ in range(20):
            content = text(random, shipped)
            file.write_bytes(content)
            try:
                refusals += bool(refused(file))
            except Exception as error:
                raise AssertionError(f"{type(error).__name__}: {error}\n{content!r}") from error
            tried += 1
    assert 0 < refusals < tried


NAMES = {
    "too long": "x" * 300,
    "too deep": "x/" * 3000,
    "nul": "a\0b",
    "a lone surrogate": "\ud800",
    "a device": "/dev/zero",
    "a folder": "..",
    "empty": "",
    "below a file": "policy.yaml/x",
    "memory": "/proc/self/mem",
    "a line": "\n",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_an_include_that_cannot_be_is_refused_in_its_line(tmp_path: Path, name: str) -> None:
    """Whatever name stands there, the file is refused with a place, and no loader breaks."""
    file = tmp_path / "policy.yaml"
    file.write_text(f"deadlines: {{}}\ninclude: {json.dumps([name])}\n")
    (said,) = refused(file)
    assert "policy.yaml:2:" in said or "/proc/self/mem" in said
    assert len(said) < 1000
