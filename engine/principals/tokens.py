"""The tokens on disk: a hash of each secret, and the principal that it authenticates."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engine.common.local_files import put_in_place
from engine.models import Digest, FrozenModel, Token

PREFIX = "pratique_"
"""What every secret begins with, so that scanners of source code know one."""
SECRET_BYTES = 32
MOST_SECRET = 256
"""Characters of a secret that are looked at."""


class StoredToken(FrozenModel):
    """A token and the SHA-256 of its secret. With 256 bits of chance behind it, it needs no salt."""

    token: Token
    sha256: Digest


_KEPT = TypeAdapter(tuple[StoredToken, ...])


class TokensUnusable(Exception):
    """The file of tokens is damaged or readable by others; it authenticates nobody."""


def new_secret() -> str:
    """Return a secret."""
    return PREFIX + secrets.token_urlsafe(SECRET_BYTES)


def hash_of(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret[:MOST_SECRET].encode()).hexdigest()


def matching(kept: Iterable[StoredToken], secret: str, now: datetime) -> Token | None:
    """Return the token of a secret, unless it has expired.

    Every token is compared, in constant time, so that the answer takes as long for any secret and for none.
    """
    hashed, found = hash_of(secret), None
    for one in kept:
        if hmac.compare_digest(hashed, one.sha256):
            found = one.token
    return found if found and now < found.expires_at else None


def read(path: Path) -> tuple[StoredToken, ...]:
    """Return the tokens of a file; none where there is no file.

    Raises:
        TokensUnusable: it is damaged, or others can read it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise TokensUnusable(f"{path} cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        if os.fstat(descriptor).st_mode & 0o077:
            raise TokensUnusable(f"{path} is open to others: chmod 600 {path}")
        try:
            return _KEPT.validate_json(file.read())
        except ValidationError:
            raise TokensUnusable(f"{path} is damaged: move it away, and make new tokens") from None


def write(path: Path, kept: Iterable[StoredToken]) -> None:
    """Put the tokens on disk, whole or not at all; a loss of power brings none of the others back."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(_KEPT.dump_json(tuple(kept), indent=1))
        file.flush()
        os.fsync(file.fileno())
    put_in_place(part, path)
