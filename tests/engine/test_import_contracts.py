"""Who may import whom, as the contracts in `pyproject.toml` say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_room_imports_what_it_may_not_know(tmp_path: Path) -> None:
    """Every contract is kept by every module."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--cache-dir", str(tmp_path)]
    linted = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (0, "") == (linted.returncode, linted.stderr), linted.stdout
    assert "0 broken" in linted.stdout
