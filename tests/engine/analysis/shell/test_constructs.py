"""Constructs of bash that the grammar lacks are read, and hide nothing that bash runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from engine.analysis import analyse
from engine.analysis.shell.constructs import readable
from engine.analysis.shell.grammar import parse
from engine.analysis.syntax import errors
from engine.models import Language

CONSTRUCTS = (
    "echo $((10#%s))",
    "m[$i,%s]=3",
    "echo ${m[$i,%s]}",
    '{ cat; } <<< "%s"',
    "for x in a; do cat; done <<< %s",
    "( cat ) <<< %s",
    "echo ${l/%%]/%s}",
    'echo "${a[@]:0:%s-1}"',
    "echo ${a:%s}",
    "echo $((minutes $3 %s))",
    "for i do echo %s; done",
    '[ "$c" = ~ -o "$d" = %s ]',
    "if (true) then echo %s; fi",
    "while (false) do echo %s; done",
    "x=$((cat a; echo %s) | sort)",
    "[ ! -e x -o \\( -d %s \\) ]",
    "f() while false; do echo %s; done",
    "exec 5<>%s",
    "echo ${y~~} %s",
)
SCRIPTS = (Path("/usr/bin"), Path("/usr/sbin"), Path("/etc"), Path("/var/lib/dpkg/info"))
MOST_BYTES = 100_000


def unread(code: str) -> int:
    """Return in how many places code could not be read."""
    return len(list(errors(parse(code)[0].root)))


def accepted(code: str) -> bool:
    """Say whether bash can parse code; it runs nothing."""
    done = subprocess.run(["bash", "-n"], input=code.encode(), capture_output=True, timeout=10, check=False)
    return done.returncode == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash parses the scripts")
@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_a_construct_that_bash_accepts_is_read(construct: str) -> None:
    """Whatever stands in it."""
    code = construct % "$b" + "\n"
    assert accepted(code)
    assert 0 == unread(code)


@pytest.mark.parametrize("hidden", ["$(id)", "`id`"])
@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_a_command_in_a_construct_is_seen_or_the_script_is_incomplete(construct: str, hidden: str) -> None:
    """What bash substitutes is a command to the analysis too."""
    analysis = analyse(construct % hidden, Language.SHELL)
    assert not analysis.complete or "id" in {effect.value.text for effect in analysis.effects}


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_nothing_moves(construct: str) -> None:
    """What is read has the length of the script, so that every span is one of the script."""
    code = (construct % "ü").encode()
    assert len(code) == len(readable(code))


def test_a_here_string_after_a_compound_command_is_no_file() -> None:
    """Its text is the input, and no path."""
    analysis = analyse('{ cat; } <<< "/etc/passwd"', Language.SHELL)
    assert "/etc/passwd" not in {effect.value.text for effect in analysis.effects}
    piped = analyse('{ bash; } <<< "rm -rf /"', Language.SHELL)
    assert piped.violations


def test_a_sum_stays_a_sum() -> None:
    """Only where the two parentheses are not closed together is it a substitution."""
    assert b"echo $((1 + (2)))" == readable(b"echo $((1 + (2)))")
    assert b"echo $( cat a ; ls)" == readable(b"echo $((cat a); ls)")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash parses the scripts")
def test_most_scripts_of_the_system_are_read() -> None:
    """Of the shell scripts of the installed packages that bash accepts, 95 % are read to the last byte."""
    scripts = {code for folder in SCRIPTS for path in folder.rglob("*") if (code := _script(path))}
    if len(scripts) < 100:
        pytest.skip("there are too few shell scripts on this machine")
    failed = [code for code in scripts if unread(code) and accepted(code)]
    assert len(failed) <= 0.05 * len(scripts)


def _script(path: Path) -> str:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return ""
        with path.open("rb") as file:
            first = file.readline(40)
            shell = first.startswith(b"#!") and first.split()[0].endswith((b"/sh", b"bash"))
            return (first + file.read()).decode("utf-8", "replace") if shell else ""
    except OSError:
        return ""
