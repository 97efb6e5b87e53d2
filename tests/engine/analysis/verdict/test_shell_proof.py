"""A shell script that is called harmless only computes and prints, and one that does is called so."""

from __future__ import annotations

from itertools import islice

import pytest

from engine.analysis import analyse
from engine.analysis.registry import RULES
from engine.analysis.verdict.shell import proof
from engine.analysis.verdict.shell.library import COMMANDS
from engine.analysis.verdict.shell.proof import prove
from engine.models import Language, Level, Verdict
from tests.engine.analysis.verdict.shell_attacks import abandoned, attacks
from tests.engine.analysis.verdict.shell_harmless import HARMLESS
from tests.engine.analysis.verdict.shell_mutations import scripts

_VIOLATING = [
    code
    for rule in RULES.values()
    if Language.SHELL in rule.languages and rule.severity is not Level.LOW
    for code in rule.match
]
_WRAPPERS = (
    "if true; then\n{}\nfi\n",
    "for loop in 1 2; do\n{}\ndone\n",
    "f() {{\n{}\n}}\nf 'a[$(pwned)]' '*'\n",
    "(\n{}\n)\n",
    "case a in\na)\n{}\n;;\nesac\n",
    "echo before\n{}\necho after\n",
    "while true; do break; done\n{}\n",
)
SEED = 7


@pytest.mark.parametrize("code", [*attacks(), *abandoned()])
def test_no_attack_is_proven(code: str) -> None:
    """Each way around the proof is refused at a place inside the code, with a reason."""
    unproven = prove(code)
    assert unproven
    assert all(one.reason.text and one.span.line <= code.count("\n") + 1 for one in unproven)


@pytest.mark.parametrize("wrapper", _WRAPPERS)
def test_no_attack_is_proven_inside_other_code(wrapper: str) -> None:
    """An attack inside a function, a loop or a branch is refused there, too."""
    assert [] == [code for code in attacks() if not prove(wrapper.format(code)) and "local -A" not in code]


@pytest.mark.parametrize("code", _VIOLATING)
def test_no_violating_example_of_a_rule_is_harmless(code: str) -> None:
    """Code in which a rule above LOW must fire is never called harmless."""
    assert Verdict.HARMLESS is not analyse(code, Language.SHELL).verdict


def test_no_mutation_of_a_violating_example_is_harmless() -> None:
    """A mutation is harmless only where the command that violates is gone."""
    for code in islice(scripts(SEED, _VIOLATING), 3000):
        found = analyse(code, Language.SHELL) if not prove(code) else None
        assert found is None or not found.is_grave or found.verdict is not Verdict.HARMLESS, code


@pytest.mark.parametrize("code", HARMLESS)
def test_ordinary_scripts_are_harmless(code: str) -> None:
    """Loops, functions, arrays, texts and pipes of plain scripts are proven."""
    assert () == prove(code)
    assert Verdict.HARMLESS is analyse(code, Language.SHELL).verdict


def test_the_place_and_the_reason_are_named() -> None:
    """The span is that of the command, and the reason says what is wrong with it."""
    (found,) = prove("echo a\nls -l\n")
    assert (2, 1, 2, 3) == (found.span.line, found.span.column, found.span.end_line, found.span.end_column)
    assert "the command `ls` is not on the list" == found.reason.text


def test_too_much_code_is_not_proven() -> None:
    """A script beyond the bounds is refused without being read."""
    assert prove("echo a\n" * (proof.MOST_CHARACTERS // 7 + 1))


@pytest.mark.parametrize(
    "code",
    [
        "(" * 5000,
        "$(" * 5000,
        "{ " * 5000,
        "echo ${x:-" * 5000,
        "if true; then " * 5000,
        "((" * 5000,
        "[[ ( " * 5000,
    ],
)
def test_deep_nesting_is_answered(code: str) -> None:
    """Nesting without end is unproven, not an error."""
    assert prove(code)


def test_no_listed_command_runs_another() -> None:
    """Nothing on the list takes a command as its argument."""
    runners = {
        "env",
        "xargs",
        "find",
        "command",
        "builtin",
        "exec",
        "eval",
        "nohup",
        "timeout",
        "trap",
        "source",
        "let",
    }
    assert set() == runners & COMMANDS
