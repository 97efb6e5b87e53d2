"""A substitution that bash runs is a command to the analysis, wherever it is."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis import analyse
from engine.models import Language, Level

CONTEXTS = (
    *(f"echo ${{a{operator}@}}" for operator in (":-", "-", ":=", "=", ":+", "+", "#", "##", "%", "%%")),
    *(f"echo ${{a{operator}@}}" for operator in ("^", "^^", ",", ",,", "/x/", "//x/", "/#x/", "/%x/")),
    *(f"echo ${{a{operator}@/y}}" for operator in ("/", "//", "/#", "/%")),
    *(f"echo ${{a{operator}}}" for operator in ("[@]", ":@", ":0:@", "[0@]:-1", "#a$(echo @)")),
    "echo ${!a:-@}",
    "echo ${#b[@]}",
    "echo $((1+@))",
    "echo $[1+@]",
    "((1+@))",
    "let a=@",
    "b[@]=1",
    "b=([@]=1 @)",
    "b+=(@)",
    "declare b=@",
    "declare -A b=([@]=1)",
    "x=@ true",
    "[[ @ ]]",
    "[[ a == @ ]]",
    "[[ a =~ @ ]]",
    "[[ 1 -eq @ ]]",
    "[ a = @ ]",
    "case @ in x) ;; esac",
    "case a in @) ;; esac",
    "for i in @; do :; done",
    "for ((i=@;i<1;i++)); do :; done",
    "select i in @; do break; done < /dev/null",
    "cat <<E\n@\nE",
    "cat <<E\n${a:-@}\nE",
    "cat <<-E\n\t@\n\tE",
    "cat <<E\n'@'\nE",
    "cat <<< @",
    "{ cat; } <<< @",
    "cat < /dev/null > /dev/null@",
    "cat <(echo @)",
    "f() { echo @; }; f",
    "(echo @)",
    "echo a{@,b}",
    "echo {a,@}c",
    "echo $(echo @)",
    "echo `echo @`",
    "time @",
    "! @",
    "coproc echo @",
    "echo a\\\n@",
    "x='a[@]'; echo $((x))",
    "[[ 'a[@]' -eq 0 ]]",
    "[[ -v 'b[@]' ]]",
    "read 'b[@]' <<< x",
    "printf -v 'b[@]' x",
    "x='@'; echo ${x@P}",
)
QUOTINGS = (
    "@",
    '"@"',
    "'@'",
    "\"'@'\"",
    "a@b",
    '"a${c:-@}b"',
    "\"${c:-'@'}\"",
    "$'@'",
    "\\@",
    "\\\\@",
    '"\\@"',
)
COMMANDS = ("$(id >&2)", "`id >&2`")


def runs(code: str) -> bool:
    """Say whether bash runs `id`, which is all that these scripts can run."""
    done = subprocess.run(
        ["bash", "--norc", "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
        check=False,
        cwd="/proc/self",
        env={"PATH": "/usr/bin:/bin"},
    )
    return b"uid=" in done.stderr + done.stdout


def is_seen(code: str) -> bool:
    """Say whether the analysis sees `id`, or says that it does not know."""
    analysis = analyse(code, Language.SHELL)
    marked = any(violation.severity.rank >= Level.HIGH.rank for violation in analysis.violations)
    return not analysis.complete or marked or "id" in {effect.value.text for effect in analysis.effects}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash runs the scripts")
@pytest.mark.parametrize("context", CONTEXTS)
def test_a_substitution_that_bash_runs_is_seen(context: str) -> None:
    """In every construct and every kind of quoting."""
    scripts = [
        context.replace("@", quoting.replace("@", command)) for quoting in QUOTINGS for command in COMMANDS
    ]
    assert [code for code in scripts if not is_seen(code) and runs(code)] == []


PIECES = st.sampled_from(
    ["$(id >&2)", "`id >&2`", "${a:-", "${a%", "${a/", "}", '"', "'", "\\", " ", "\n", "$((", "))", "$(", ")",
     "`", "<<E\n", "\nE\n", "#", "a", "[", "]", "[[ ", " ]]", "(", "{", "echo ", ";", "=", "$'", "|", "&"]
)  # fmt: skip


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash runs the scripts")
@given(st.lists(PIECES, max_size=10))
@settings(max_examples=300, deadline=None)
def test_no_combination_of_quotes_hides_a_substitution(pieces: list[str]) -> None:
    """What is not seen is not run."""
    code = "echo " + "".join(pieces)
    assert is_seen(code) or not runs(code)


def test_ordinary_quoted_text_is_no_command() -> None:
    """Nothing is read from comments, single quotes and quoted here-documents."""
    code = "# `id`\necho 'use `id` or $(id)'\ncat <<'E'\n`id` $(id)\nE\necho \"\\`id\\` \\$(id)\"\n"
    analysis = analyse(code, Language.SHELL)
    assert "id" not in {effect.value.text for effect in analysis.effects}
