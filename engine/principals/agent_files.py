"""Registered agents: for each the secret of its token, in a file that only the owner of the engine reads."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from engine.common.errors import Problem
from engine.common.local_files import put_in_place
from engine.models.token import NAME
from engine.principals.tokens import MOST_SECRET


def save(folder: Path, name: str, secret: str) -> Path:
    """Write the secret of an agent's token, in place of the one before, and return the file's path.

    Raises:
        Problem: it cannot be written.
    """
    path = folder / name
    part = folder / f".{name}.{os.getpid()}"
    try:
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secret + "\n")
            file.flush()
            os.fsync(descriptor)
        put_in_place(part, path)
    except OSError as error:
        raise Problem(503, f"{path} cannot be written: {error.strerror}") from None
    return path


def load(folder: Path, name: str) -> str:
    """Return the secret of a registered agent's token.

    Raises:
        Problem: no agent of that name is registered, or others can read or write its file.
    """
    register = f"Type: pratique token create {name} --scope submit --save"
    if not re.fullmatch(NAME, name):
        raise Problem(422, "this is no name of an agent", hint="Use a-z 0-9 . _ - and begin with a letter.")
    try:
        descriptor = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Problem(404, f"no agent {name} is registered here", hint=register) from None
    except OSError as error:
        raise Problem(503, f"{folder / name} cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_mode & 0o077 or about.st_uid != os.getuid():
            raise Problem(503, f"{folder / name} is open to others", hint=register)
        return file.read(MOST_SECRET).decode("ascii", "replace").strip()
