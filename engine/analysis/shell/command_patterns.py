"""Rules that match a single command: its name, and a pattern of its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from engine.analysis import paths
from engine.analysis.rule import Rule
from engine.analysis.shell.declare import found
from engine.analysis.shell.model import Command, Script
from engine.models import Level, Violation

_QUESTIONS = frozenset({"--help", "--version", "-help", "-version"})
Test = Callable[[Command], bool]
CommandPatterns = Mapping[str, list["CommandPattern"]]
"""The shapes that a command of each name may have."""


@dataclass(frozen=True, slots=True)
class CommandPattern:
    """What a command looks like where a rule fires."""

    rule: Rule
    names: tuple[str, ...]
    wanted: re.Pattern[str] | None
    unwanted: re.Pattern[str] | None
    test: Test | None
    severity: Level | None

    def fits(self, command: Command) -> bool:
        """Return whether a command has this shape."""
        text = command.text
        if self.wanted is not None and not self.wanted.search(text):
            return False
        if self.unwanted is not None and self.unwanted.search(text):
            return False
        return self.test is None or self.test(command)


def pattern(
    rule: Rule, names: str, wanted: str = "", *, unwanted: str = "", test: Test | None = None,
    severity: Level | None = None,
) -> CommandPattern:  # fmt: skip
    """Return a shape: `names` separated by blanks, patterns searched in the words joined by blanks."""
    patterns = (re.compile(wanted) if wanted else None, re.compile(unwanted) if unwanted else None)
    return CommandPattern(rule, tuple(names.split()), *patterns, test, severity)


def by_name(*patterns: CommandPattern) -> CommandPatterns:
    """Return the shapes by the names of the commands that they are about."""
    table: dict[str, list[CommandPattern]] = {}
    for one in patterns:
        for name in one.names:
            table.setdefault(name, []).append(one)
    return table


def matches(script: Script, patterns: CommandPatterns) -> Iterator[Violation]:
    """Yield a violation for each command and shape that fit; help and version questions never do."""
    for name, commands in script.by_name.items():
        for one in patterns.get(name, ()):
            for command in commands:
                if one.fits(command) and _QUESTIONS.isdisjoint(command.words):
                    yield found(one.rule, command, severity=one.severity)


def touches(judge: Callable[[str], bool]) -> Test:
    """Return a test for commands with an operand that `judge` accepts."""

    def test(command: Command) -> bool:
        return any(judge(paths.normal(arg.text)) for arg in command.operands)

    return test


def has_arguments(command: Command) -> bool:
    """Return whether a command has any words."""
    return bool(command.args)
