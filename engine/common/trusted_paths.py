"""Whether files and folders can be trusted: nobody else owns, writes or replaces them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine.common.text import visible

_ROOT = 0


class Distrust(NamedTuple):
    """What is wrong with a path, and what to type."""

    reason: str
    command: str


def distrust(path: Path, *, private: bool = True) -> Distrust | None:
    """Return why a file or a folder cannot be trusted; None where it can, or where there is none.

    A `private` one may not be read by others either. The folders above it belong to this user or to root, and
    others may write to them only where they cannot move what is not theirs (the sticky bit).
    """
    try:
        about = path.lstat()
    except FileNotFoundError:
        return next(_above(path), None)
    except OSError as error:
        return Distrust(f"{_name(path)} cannot be read: {error.strerror}", f"ls -ld {path.parent}")
    return (
        _kind(path, about) or _owner(path, about) or _mode(path, about, private) or next(_above(path), None)
    )


def _kind(path: Path, about: os.stat_result) -> Distrust | None:
    if stat.S_ISLNK(about.st_mode):
        return Distrust(
            f"{_name(path)} is a symbolic link", f"rm {path}   (and put the file or folder itself there)"
        )
    if stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode):
        return None
    return Distrust(f"{_name(path)} is neither a file nor a folder", f"rm {path}")


def _owner(path: Path, about: os.stat_result) -> Distrust | None:
    if about.st_uid in {os.geteuid(), _ROOT}:
        return None
    reason = f"{_name(path)} belongs to another user (uid {about.st_uid})"
    return Distrust(reason, f"sudo chown -R {os.geteuid()} {path}   (after looking at what is in it)")


def _mode(path: Path, about: os.stat_result, private: bool) -> Distrust | None:
    mode, folder = stat.S_IMODE(about.st_mode), stat.S_ISDIR(about.st_mode)
    if mode & 0o022:
        return Distrust(f"others may write to {_name(path)} (mode {mode:04o})", f"chmod go-w {path}")
    if private and mode & 0o077 and not folder:
        return Distrust(f"others may read {_name(path)} (mode {mode:04o})", f"chmod 600 {path}")
    return None


def _above(path: Path) -> Iterator[Distrust]:
    """Yield what is wrong with the folders above a path, as it is written and where its links lead."""
    seen = dict.fromkeys((*path.absolute().parents, *_resolved(path).parents))
    for folder in seen:
        try:
            about = folder.lstat()
        except OSError:
            continue
        if wrong := _owner(folder, about):
            yield wrong
        elif stat.S_ISDIR(about.st_mode) and about.st_mode & 0o022 and not about.st_mode & stat.S_ISVTX:
            mode = stat.S_IMODE(about.st_mode)
            yield Distrust(f"others may write to {_name(folder)} (mode {mode:04o})", f"chmod go-w {folder}")


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def _name(path: Path) -> str:
    return visible(str(path))
