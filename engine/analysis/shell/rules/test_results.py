"""Making tests pass without testing: assertions replaced, tests that skip, a runner that only says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.declare import ABUSE, HIGH, found, rule
from engine.analysis.shell.expansion import unescaped
from engine.analysis.shell.file_access import written
from engine.analysis.shell.flow import given
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.pure_commands import output
from engine.analysis.weakened_tests import is_runner, is_test, strips_assertions, weakens
from engine.models import Violation

WEAKENED = rule(
    "sh-weakened-tests",
    "Makes tests pass without testing",
    "defense_evasion",
    HIGH,
    attack="Reports success for code that is wrong, or that does something else than its tests say.",
    why="HIGH: a report of success says nothing any more, and repairing code does not need it.",
    fix="Repair the code, or say which test is wrong and why.",
    match=(
        "sed -i 's/assert .*/assert True/' tests/test_a.py",
        "sed -i '/expect(/d' src/a.test.js",
        "echo 'import os; os._exit(0)' > tests/conftest.py",
        "printf '#!/bin/sh\\nexit 0\\n' > .venv/bin/pytest",
    ),
    not_match=(
        "sed -i 's/assertEquals/assertEqual/' tests/test_a.py",
        "sed 's/assert .*//' tests/test_a.py",
        "echo 'import pytest' > tests/conftest.py",
        "pytest -q",
    ),
    cwe=693,
    owasp=ABUSE,
)

_SUBSTITUTION = re.compile(
    r"s(?P<d>[^\w\s\\])(?P<old>(?:\\.|(?!(?P=d)).)*)(?P=d)(?P<new>(?:\\.|(?!(?P=d)).)*)(?P=d)"
)
_DELETION = re.compile(r"(?:^|;)\s*/(?P<old>(?:\\.|[^/])*)/\s*d\s*(?:;|$)")
_SPEAKERS = frozenset({"echo", "printf", "cat", "tee"})


def check(script: Script) -> Iterator[Violation]:
    """Yield edits of assertions, and what is written into tests and over their runner."""
    for command in script.named("sed", "gsed", "perl"):
        if command.has("i", "--in-place") and any(map(_strips, command.words)):
            yield found(WEAKENED, command)
    for target in written(script):
        if is_runner(target.path):
            yield WEAKENED.violation(target.span, f"Writes {target.shown}", evidence=target.evidence)
    for command in script.named(*_SPEAKERS):
        if any(is_test(path) for path in _targets(command)) and weakens(_said(command)):
            yield found(WEAKENED, command)


def _strips(word: str) -> bool:
    changes = [(one["old"], one["new"]) for one in _SUBSTITUTION.finditer(word)]
    changes += [(one["old"], "") for one in _DELETION.finditer(word)]
    return any(strips_assertions(old, new) for old, new in changes)


def _targets(command: Command) -> list[str]:
    named = [redirect.target.text for redirect in command.redirects if redirect.writes]
    return named + ([arg.text for arg in command.operands] if command.name == "tee" else [])


def _said(command: Command) -> str:
    return unescaped(output(command.name, [] if command.name == "tee" else command.words, given(command)))
