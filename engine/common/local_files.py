"""Reads and writes files that people name: regular ones, bounded, and through no link by accident."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_OPEN = os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read_file(path: Path, most: int, *, follow: bool = True) -> bytes:
    """Return the content of a regular file of at most `most` bytes; no pipe or device is waited for.

    Raises:
        OSError: it cannot be read, is no regular file, is larger, or is a link where links are not followed.
    """
    with open_file(path, most, follow=follow) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise _error(errno.EFBIG, path, f"it is larger than {most} bytes")
    return content


def open_file(path: Path, most: int | None = None, *, follow: bool = True) -> BinaryIO:
    """Return a regular file, open for reading. Raises OSError, as `read_file` does."""
    if not follow and path.is_symlink():
        raise _error(errno.ELOOP, path, "it is a symbolic link: name the file that it leads to")
    descriptor = os.open(path, os.O_RDONLY | _OPEN | (0 if follow else os.O_NOFOLLOW))
    try:
        _require_readable(os.fstat(descriptor), path, most)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _require_readable(about: os.stat_result, path: Path, most: int | None) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise _error(errno.EINVAL, path, "it is no regular file")
    if most is not None and about.st_size > most:
        raise _error(errno.EFBIG, path, f"it is larger than {most} bytes")


def new_file(path: Path) -> BinaryIO:
    """Return a new file of mode 0600. Raises OSError: something has this name, a link to nowhere included."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o600), "wb")


def write_private(path: Path, content: bytes, *, synced: bool = False) -> None:
    """Put a file of mode 0600 in place, whole or not at all, in a folder of mode 0700. Raises OSError.

    `synced`: it is on disk then, and survives a loss of power.
    """
    private_folder(path.parent)
    part = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with new_file(part) as file:
            file.write(content)
            file.flush()
            if synced:
                os.fsync(file.fileno())
        part.replace(path)
        if synced:
            sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)


def put_in_place(part: Path, path: Path) -> None:
    """Give a file that was synced its name, so that it has it also after a loss of power. Raises OSError."""
    part.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Return once the names of the files in a folder are on disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def private_folder(folder: Path) -> Path:
    """Return a folder; it and those above it are made with mode 0700 where there are none. Raises OSError."""
    if not folder.is_dir():
        if folder.parent != folder:
            private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(PermissionError):  # a folder above may be another user's
            sync_folder(folder.parent)
    return folder


def _error(number: int, path: Path, reason: str) -> OSError:
    return OSError(number, reason, str(path))
