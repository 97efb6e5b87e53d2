"""The results of mutants, kept beside the build: a run that was interrupted goes on where it ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

FILE = Path("build/mutants.jsonl")


def fingerprint(module: str, tests: Iterable[str]) -> str:
    """Return a hash of a module and of the tests that have to notice its faults.

    What else those tests import is left out: remove the file to count everything anew.
    """
    files = [Path(module), *(file for name in tests for file in _python_files(Path(name)))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _python_files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


class Results:
    """How mutants ended, by the fingerprint of their module and their number in it."""

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self._known: dict[tuple[str, int], str] = {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
            fingerprint, number, outcome = json.loads(line)
            self._known[fingerprint, number] = outcome

    def find(self, fingerprint: str, number: int) -> str | None:
        """Return how a mutant ended in an earlier run; None where it was not tried."""
        return self._known.get((fingerprint, number))

    def add(self, fingerprint: str, number: int, outcome: str) -> None:
        """Keep how a mutant ended."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps([fingerprint, number, outcome]) + "\n")
