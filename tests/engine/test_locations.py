"""Where things lie, for who has no login."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine import locations
from engine.common.errors import Problem


def test_no_login_is_no_cause_for_a_warning(tmp_path: Path) -> None:
    """Root and services without a runtime folder get a private one, and hear nothing of it."""
    left_out = ("PRATIQUE_HOME", "XDG_RUNTIME_DIR")
    plain = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        [sys.executable, "-c", "from engine import locations; print(locations.runtime())"],
        env={**plain, "TMPDIR": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "" == done.stderr
    assert 0o700 == stat.S_IMODE(Path(done.stdout.strip()).stat().st_mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_holds_no_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who makes the folder before us could answer as the engine."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    os.chown(locations.runtime(), 65534, 65534)
    with pytest.raises(Problem, match="belongs to another user"):
        locations.runtime()


def test_everything_lies_in_a_folder_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever place is asked for first, the folder that holds them all is private."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "new"))
    locations.runtime()
    assert 0o700 == stat.S_IMODE((tmp_path / "new").stat().st_mode)
