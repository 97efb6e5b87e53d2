"""Whether files and folders can be trusted: nobody else owns, writes or replaces them."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterable, Iterator
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
    others may write to them only where they cannot move what is not theirs (the sticky bit). A group that has
    nobody but this user is not others: a Pod's volume belongs to one.
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
        elif stat.S_ISDIR(about.st_mode) and _is_shared(about):
            mode = stat.S_IMODE(about.st_mode)
            yield Distrust(f"others may write to {_name(folder)} (mode {mode:04o})", f"chmod go-w {folder}")


def _is_shared(about: os.stat_result) -> bool:
    """Return whether others may move what is in a folder."""
    if about.st_mode & stat.S_ISVTX or not about.st_mode & 0o022:
        return False
    return bool(about.st_mode & 0o002) or not _is_own_group(about.st_gid)


def _is_own_group(number: int) -> bool:
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return is_of_one(user, group, pwd.getpwall())


def is_of_one(user: pwd.struct_passwd, group: grp.struct_group, users: Iterable[pwd.struct_passwd]) -> bool:
    """Return whether a group is a user's own: of its name, its first, and nobody else's."""
    others = {one.pw_name for one in users if one.pw_gid == group.gr_gid} | set(group.gr_mem)
    named = (group.gr_name, group.gr_gid) == (user.pw_name, user.pw_gid)
    return named and group.gr_gid != _ROOT and others <= {user.pw_name}


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def _name(path: Path) -> str:
    return visible(str(path))
