"""The command `pratique selftest`."""

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
def test_it_reports_a_guarantee_that_held() -> None:
    """Exit code and JSON output report one guarantee that held."""
    done = selftest("--only", "host name", "--json")
    assert (ExitCode.OK, True) == (done.returncode, json.loads(done.stdout)["ok"]), done.stderr


def test_an_unknown_attack_is_an_error() -> None:
    """A selection without any attack is an error."""
    assert ExitCode.ERROR == selftest("--only", "no such thing").returncode
