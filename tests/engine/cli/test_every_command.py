"""The command line as a whole: every command explains itself, and no wrong use of it ends in a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer

from engine import cli
from engine.common.text import many

WITHOUT_JSON = {
    *("hook run", "hook result"),
    *("demo", "mcp", "serve", "bench", "dev seed-history"),
    *("audit replay", "audit export", "audit case", "audit verify-case"),
    *("rules explain", "rules docs"),
    *("secret set", "secret remove"),
}
"""Commands that run until they are ended, whose answers are documents or pages, or that answer nothing."""


def commands(command: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield every command by what is typed for it."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
        return
    for name, one in inner.items():
        yield from commands(one, (*path, name))


EVERY = dict(commands(typer.main.get_command(cli._app([]))))


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_a_command_explains_itself_and_refuses_what_it_does_not_know(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` is 0 and says something; an option that nobody knows is 2, in words."""
    assert 0 == cli.main([*words, "--help"])
    assert words[-1] in capsys.readouterr().out
    assert 2 == cli.main([*words, "--no-such-option"])
    told = capsys.readouterr().err
    assert "no-such-option" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    "words", [words for words in EVERY if " ".join(words) not in WITHOUT_JSON], ids=" ".join
)
def test_a_command_answers_programs(words: tuple[str, ...]) -> None:
    """Every command that answers something has `--json`."""
    options = {option for one in EVERY[words].params for option in one.opts}  # type: ignore[attr-defined]
    assert "--json" in options


WRONG = [
    ["submit", "/nowhere/at/all.py"],
    ["submit", "/etc/passwd"],
    ["submit", "/dev/null", "--language", "python", "--limit", "memory_mb=x"],
    ["submit", "/dev/null", "--language", "cobol"],
    ["run", "/"],
    ["token", "create", "x", "--scope", "everything"],
    ["session", "run", "ses-1", "/nowhere.py"],
    ["nonsense"],
]


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_wrong_use_is_one_line_with_what_to_do(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be is said in words, with the exit code that is documented for it."""
    assert cli.main(words) in {2, 5}
    assert "Traceback" not in capsys.readouterr().err


def test_the_program_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """Help, by either name, tells of the console as lines; the version is one line."""
    assert [0, 0] == [cli.main(["-h"]), cli.main(["show", "-h"])]
    assert "screen readers" in capsys.readouterr().out
    assert 0 == cli.main(["--version"])
    assert capsys.readouterr().out.startswith("pratique ")
    assert 2 == cli.main(["--plain", "queue"])
    assert "use it alone" in capsys.readouterr().err


def test_a_shell_can_complete_commands() -> None:
    """What a shell asks for completion is answered, and no console opens."""
    environment = {
        **os.environ,
        "_PRATIQUE_COMPLETE": "complete_bash",
        "COMP_WORDS": "pratique sub",
        "COMP_CWORD": "1",
    }
    program = "import sys; sys.argv[0] = 'pratique'; from console.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "submit" in done.stdout.split()


def test_one_is_one() -> None:
    """Plurals are right."""
    assert ("1 line", "2 lines", "0 lines", "1,000 lines") == (
        many(1, "line"),
        many(2, "line"),
        many(0, "line"),
        many(1000, "line"),
    )
