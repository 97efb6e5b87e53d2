"""Each guard of the shell proof is needed: without it, an attack of the list is called harmless."""

from __future__ import annotations

import re

import pytest

from engine.analysis.verdict.shell.proof import prove
from tests.engine.analysis.verdict.shell_attacks import abandoned, attacks

_NEVER = re.compile(r"(?!)")
_ALWAYS = re.compile(r".*")


def _nothing(*_: object, **__: object) -> None:
    """Refuse nothing."""


def _yes(*_: object) -> bool:
    return True


_GUARDS = (
    ("arguments._COUNTED", frozenset[str](), 'exit 1 2; SECRET=1\necho "$SECRET"'),
    ("arguments._NO_DASH", frozenset[str](), "tee -"),
    ("builtins._COUNT", _ALWAYS, 'read -n 0 SECRET; echo "$SECRET"'),
    (
        "builtins.is_unset_in_sandbox",
        _yes,
        'g() { unset SECRET; }; f() { local SECRET=1; g; echo "$SECRET"; }; f',
    ),
    ("conditions._is_read_alike", _yes, "[[ a =~ [(] ]]; echo # ) ]]; pwned"),
    ("options._check_glued", _nothing, 'x=; read -d"$x" SECRET; echo "$SECRET"'),
    ("programs._AWK_EFFECTS", _NEVER, 'awk \'BEGIN { if (1) /"/; system("pwned"); print /"/ }\''),
    ("proof._check_names", _nothing, "m=(1); declare -A m; x='a[$(pwned)]'; m[$x]=1"),
    (
        "redirections.Redirections.check_kept",
        _nothing,
        'read SECRET <<< $(yes | head -c 300000); echo "$SECRET"',
    ),
    ("state.State.end_line", _nothing, ': $((1/0)); SECRET=1\necho "$SECRET"'),
    ("state.State.may_fail", _nothing, 'a=(); a[-1]=1; SECRET=1\necho "$SECRET"'),
    ("statements._READ_AGAIN", _NEVER, "declare -A m=([a]=b)\necho ${m[$(echo 1;# '\n)]}x'$(true)]}'"),
    ("statements.is_balanced", _yes, ': "${x/$(case a in a) echo b/c;; esac)/d}"'),
    ("values.Values.need", _nothing, "x='a[$(pwned)]'; echo $((x))"),
    ("words._BYTES", _NEVER, r"echo / | sed $'s/a\xC3/b/;s,/w pwned,c,'"),
    ("words._UNENDED", _NEVER, 'S=1; echo "$S\\\nECRET"'),
)


@pytest.mark.parametrize(("guard", "without", "attack"), _GUARDS)
def test_without_a_guard_an_attack_is_called_harmless(
    guard: str, without: object, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test of all attacks fails if the guard is taken away."""
    assert attack in {*attacks(), *abandoned()}
    monkeypatch.setattr(f"engine.analysis.verdict.shell.{guard}", without)
    assert () == prove(attack)
