"""`pratique selftest` tries the same on the user's own machine, and says what held."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from engine.cli.exit_codes import ExitCode


def selftest(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [sys.executable, "-m", "console.main", "selftest", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.sandbox
def test_it_says_what_held_and_leaves_nothing() -> None:
    """One promise is tried, and the exit code says that it held."""
    done = selftest("--only", "host's name", "--json")
    assert (ExitCode.OK, True) == (done.returncode, json.loads(done.stdout)["ok"]), done.stderr


def test_an_attempt_that_there_is_not_is_a_problem() -> None:
    """A selection of nothing proves nothing."""
    assert ExitCode.ERROR == selftest("--only", "no such thing").returncode
