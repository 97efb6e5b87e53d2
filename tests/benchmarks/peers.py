"""Other analyzers on the same code: bandit in process, ruff as a command."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bandit.core import config, manager  # type: ignore[import-untyped]

_LEVELS = ("LOW", "MEDIUM", "HIGH")
_RUFF_LOW = frozenset(f"S{number}" for number in (101, 105, 106, 107, 110, 112, 311, *range(403, 410), 413))
_RUFF_LOW |= {"S603", "S606", "S607"}
"""Ruff has no severities: these are LOW in bandit, where they come from."""


class Bandit:
    """Bandit, with its files read from memory."""

    def __init__(self) -> None:
        logging.getLogger("bandit").setLevel(logging.CRITICAL)
        self._manager: Any = manager.BanditManager(config.BanditConfig(), "file")

    def flags(self, code: str) -> bool:
        """Whether anything of MEDIUM severity or above is found."""
        self._manager.results = []
        self.read(code)
        return any(_LEVELS.index(issue.severity) >= 1 for issue in self._manager.results)

    def read(self, code: str) -> None:
        """Analyse, and leave the results; code that does not parse has none."""
        data = io.BytesIO(code.encode("utf-8", "replace"))
        self._manager._parse_file("code.py", data, ["code.py"])


def ruff_flags(codes: list[str]) -> list[bool]:
    """Say of each code whether ruff's security rules find anything of MEDIUM severity or above."""
    with tempfile.TemporaryDirectory() as folder:
        for number, code in enumerate(codes):
            Path(folder, f"{number}.py").write_text(code, encoding="utf-8", errors="replace")
        command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "S"]
        done = subprocess.run(
            [*command, "--output-format", "json", folder], capture_output=True, check=False, timeout=300
        )
        found = json.loads(done.stdout)
    flagged = {
        int(Path(one["filename"]).stem) for one in found if one["code"] and one["code"] not in _RUFF_LOW
    }
    return [number in flagged for number in range(len(codes))]
