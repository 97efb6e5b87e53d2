"""Each guard of the shell proof is needed: without it, an attack of the list is called harmless."""

from __future__ import annotations

import re
from contextlib import nullcontext

import pytest

from engine.analysis.verdict.shell.proof import prove
from engine.analysis.verdict.shell.state import State
from tests.engine.analysis.verdict.shell_attacks import abandoned, attacks

_NEVER = re.compile(r"(?!)")
_ALWAYS = re.compile(r".*")
_EVERYTHING = frozenset(map(chr, range(128)))


def _nothing(*_: object, **__: object) -> None:
    """Refuse nothing."""


def _yes(*_: object) -> bool:
    return True


def _own_anywhere(state: State, name: str) -> None:
    state.owned |= {name}


_COMMENT_IN_SUM = r"""case=1; in=1; esac=1; x=1
echo "$(( ( case 1 in 2 ) 3
 esac || ${x/ #/1} ))
 pwned; case a in b) ;; esac )"
""".rstrip("\n")
_GUARDS = (
    ("arguments._COUNTED", frozenset[str](), 'exit 1 2; SECRET=1\necho "$SECRET"'),
    ("arguments._NO_DASH", frozenset[str](), "tee -"),
    ("assignments.Assignments.check_prefix", _nothing, "LD_PRELOAD=./x cat"),
    ("assignments._AFTER_ARRAY", _EVERYTHING, "f() { local a=(1)b; }; f"),
    ("builtins._SETS", _ALWAYS, "set -a"),
    ("conditions._is_balanced", _yes, "[[ a =~ [(] ]]; echo # ) ]]; pwned"),
    ("expansions._MISREAD", _NEVER, _COMMENT_IN_SUM),
    ("options._check_glued", _nothing, 'x=; grep -e"$x" -e /etc/passwd'),
    ("programs._AWK_EFFECTS", _NEVER, 'awk \'BEGIN { if (1) /"/; system("pwned"); print /"/ }\''),
    ("proof._check_declared", _nothing, "f() { local a=(1); local a=\"$1\"; }; f '([$(pwned)]=1)'"),
    ("redirections._EXPANDED", _NEVER, "cat <<EOF\n$(pwned)\nEOF"),
    ("state.State.may_fail", _nothing, ': $((1/0)); SECRET=1\necho "$SECRET"'),
    ("state.State.own", _own_anywhere, 'false && SECRET=1; echo "$SECRET"'),
    ("statements._RESERVED", frozenset[str](), "export() { echo; }; export PATH=."),
    ("state.State.expansion", nullcontext, ': "${x/$(echo b/c)/d}"'),
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
