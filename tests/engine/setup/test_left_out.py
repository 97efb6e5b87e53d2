"""Tests against the sandbox fail where there is none; only who asks for it has them left out, and is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]


def run(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of the images where no Docker answers."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PRATIQUE_", "PYTEST_")) and name != "CI"
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/engine/test_images.py"],
        cwd=CHECKOUT,
        env={**plain, "DOCKER_HOST": f"unix://{tmp_path}/none.sock", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_without_docker_they_fail(tmp_path: Path) -> None:
    """Nothing is skipped: the run fails, and each test says what is missing."""
    done = run(tmp_path)
    assert 1 == done.returncode
    assert 12 == done.stdout.count("no Docker Engine is running at DOCKER_HOST")
    assert "5 passed, 12 errors" in done.stdout.splitlines()[-1]


def test_left_out_they_are_counted_last(tmp_path: Path) -> None:
    """The last line says how many were left out, and pytest's own summary stands before it."""
    done = run(tmp_path, PRATIQUE_TESTS_WITHOUT_SANDBOX="1")
    *_, summary, last = done.stdout.splitlines()
    assert 0 == done.returncode
    assert "5 passed, 12 deselected" in summary
    assert "12 tests against the sandbox were left out: PRATIQUE_TESTS_WITHOUT_SANDBOX=1" == last
