"""Words are expanded as bash expands them."""

from __future__ import annotations

import pytest

from engine.analysis.shell.model import Command
from engine.analysis.shell.reader import read
from engine.analysis.shell.values import UNKNOWN
from engine.settings import AnalysisSettings


def _commands(source: str) -> list[Command]:
    return read(source, AnalysisSettings(), 0).commands


@pytest.mark.parametrize(
    ("expected", "source"),
    [
        (["rm", "-rf", "/"], "a='r'; b=m; $a$b -rf /"),
        (["cat", "/etc/passwd"], 'c""at /etc/passwd'),
        (["cat", "/etc/passwd"], r"\c\a\t /etc/passwd"),
        (["cat", "x"], r"$'\x63at' x"),
        (["cat", "/etc/passwd"], "{cat,/etc/passwd}"),
        (["cat", "/etc/passwd"], "cat${IFS}/etc/passwd"),
        (["rm", "-rf", "/"], "$(printf 'r%s' m) -rf /"),
        (["rm", "-rf", "/"], "`echo bXIK | base64 -d | rev | tr -d '\\n'` -rf /"),
        (["rm", "x"], "x=harm; ${x:2:2} x"),
        (["cat", "x"], "x=CAT; ${x,,} x"),
        (["cat", "x"], "x=dog; ${x/dog/cat} x"),
        (["cat", "x"], "x=cat.exe; ${x%.exe} x"),
        (["rm", "-rf", "/"], 'x=(rm -rf /); "${x[@]}"'),
        (["rm", "-rf", "/"], "n=c; c=rm; ${!n} -rf /"),
        (["ls", "~/a"], "ls $HOME/a"),
        (["echo", "a", "b"], "echo {a,b}"),
        (["echo", "xa", "xb"], "echo x{a,b}"),
        (["echo", "1", "2", "3"], "echo {1..3}"),
        (["ls", "-l", "a"], "alias ll='ls -l'; ll a"),
        (["rm", "-rf", "x"], "a=rm; a+=' -rf'; $a x"),
    ],
)
def test_a_command_is_resolved(expected: list[str], source: str) -> None:
    """Quotes, constants, braces, slices and pure substitutions are worked out."""
    command = next(c for c in _commands(source) if c.name in {expected[0]} and c.words == expected[1:])
    assert expected == [command.name, *command.words]


def test_an_unknown_value_is_marked() -> None:
    """An unset variable leaves a mark, and the rest of the word stays."""
    assert [f"a{UNKNOWN}b"] == _commands("echo a${NOBODY}b")[0].words


def test_wrappers_are_removed() -> None:
    """The command behind sudo, env and nohup is the one that is analysed."""
    command = _commands("sudo -u x env A=1 nohup nice -n 5 rm -r y")[0]
    assert ("rm", ("sudo", "env", "nohup", "nice")) == (command.name, command.wrappers)


def test_a_function_is_read_with_the_arguments_of_its_calls() -> None:
    """`$1` is what each call passes."""
    words = [command.words for command in _commands('f() { cat "$1"; }; f /a; f /b') if command.name == "cat"]
    assert [["/a"], ["/b"]] == words


def test_a_loop_is_read_with_each_value() -> None:
    """The variable of a `for` takes every listed value."""
    words = [command.words for command in _commands("for x in a b; do cat $x; done") if command.name == "cat"]
    assert [["a"], ["b"]] == words


def test_a_pipe_in_a_here_document_line_is_one_pipeline() -> None:
    """`cat <<EOF | sh` feeds the shell."""
    shell = next(c for c in _commands("cat <<EOF | sh\nls\nEOF\n") if c.name == "sh")
    assert ["cat"] == [command.name for command in shell.upstream]


def test_deep_nesting_is_bounded() -> None:
    """Nested substitutions neither overflow nor take exponential time."""
    depth = 120
    assert depth + 1 == len(_commands("echo $(" * depth + "ls" + ")" * depth))


@pytest.mark.parametrize(
    "source",
    [
        'f() for i in "$@"; do echo "$i"; done',
        'for i in {1..3}; { echo "$i"; }',
        "[[ $a == *.@(jpg|png) ]]",
        "case $x in a) : b ;& *) : ;;& esac",
        "cat <<'E' > f; echo after\nx\nE\n",
        'echo "${line[@]: -$1}" "${1~~}" "${s:$i:1}"',
        "exec 5<>f; {ls,-l}; é=1; echo {é..漢}",
    ],
)
def test_valid_bash_has_no_syntax_error(source: str) -> None:
    """Constructs that the grammar lacks are read all the same."""
    assert not read(source, AnalysisSettings(), 0).tree.root.has_error


@pytest.mark.parametrize(
    "source", ["for i in $(rm -rf /);{ :; }", "echo ${x:$(rm -rf /):1}", "[[ a == b@($(rm -rf /)) ]]"]
)
def test_filled_in_constructs_hide_nothing(source: str) -> None:
    """A command inside such a construct is still seen."""
    assert "rm" in [command.name for command in _commands(source)]
