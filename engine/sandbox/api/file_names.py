"""Names of files in a sandbox's workspace. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from engine.common.text import Untrusted
from engine.models import InputFile


def safe_name(name: Untrusted) -> PurePosixPath:
    """Return a path that stays below `/workspace`. Raises ValueError."""
    parts = name.text.split("/")
    bad = any(part in ("", ".", "..") or len(part.encode()) > 255 for part in parts)
    if bad or len(parts) > 16 or "\0" in name.text:
        raise ValueError("a file name must be relative, without `.` and `..`, and at most 16 folders deep")
    return PurePosixPath(*parts)


def invalid_file_name(files: Iterable[InputFile]) -> str:
    """Return what is wrong with the first file name that leaves the workspace; empty if none does."""
    try:
        for file in files:
            safe_name(file.name)
    except ValueError as error:
        return str(error)
    return ""
