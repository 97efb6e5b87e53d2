"""Exports cells to a new file: a notebook, a script or a page, by the end of its name."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from console.explore.cells import notebook_read, notebook_write, report
from console.explore.cells.results import CellResult
from console.explore.cells.script import Cell, joined
from console.run.saving import save_bytes
from engine.common.errors import Problem
from engine.common.local_files import new_file, put_in_place, read_file
from engine.models import Language

PAGES = (".html", ".htm")


def export(name: str, language: Language, cells: Sequence[Cell], results: Mapping[int, CellResult]) -> str:
    """Write a new file and return its name.

    Raises:
        Problem: the file exists, or cannot be written.
    """
    save_bytes(exported(name, language, cells, results), name)
    return name


def exported(
    name: str, language: Language, cells: Sequence[Cell], results: Mapping[int, CellResult]
) -> bytes:
    """Return what a file of this name holds."""
    suffix = Path(name).suffix.lower()
    if suffix == ".ipynb":
        return notebook_write.written(language, cells, results)
    if suffix in PAGES:
        return report.page(Path(name).stem, cells, results).encode("utf-8", "backslashreplace")
    return joined(cells, language).encode("utf-8", "backslashreplace")


def digest(path: Path) -> str:
    """Return the digest of a notebook file. Raises OSError."""
    return hashlib.sha256(read_file(path, notebook_read.MOST_BYTES, follow=False)).hexdigest()


def replace(path: Path, known: str, data: bytes) -> str:
    """Put new content in place of a file whose digest is still `known`; return the new digest.

    Raises:
        Problem: another program changed the file, or it cannot be written.
    """
    try:
        if digest(path) != known:
            problem = f"{path.name} was changed by another program"
            raise Problem(409, problem, hint="Export to a new file with x")
        _put(path, data)
    except OSError as error:
        why = f"{path} cannot be written: {error.strerror}"
        raise Problem(400, why, hint="Export to a new file with x") from None
    return hashlib.sha256(data).hexdigest()


def _put(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with new_file(part) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(path.stat().st_mode & 0o777)
        put_in_place(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
