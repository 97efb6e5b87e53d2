"""The engine's own Ed25519 key, in a private file beside the history."""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from engine.common.local_files import put_in_place
from engine.history.errors import HistoryError


def signing_key(path: Path) -> Ed25519PrivateKey:
    """Return the key in the file at `path`, made where there is none; its public half lies beside it.

    Raises:
        HistoryError: the file is no Ed25519 key, or can be neither read nor made.
    """
    try:
        return _read(path) if path.exists() else _make(path)
    except OSError as error:
        raise HistoryError(
            f"The key {path} cannot be used: {error.strerror}", hint=f"Look at: ls -l {path}"
        ) from None
    except ValueError:
        raise HistoryError(
            f"{path} is no Ed25519 key", hint=f"Put it back from a copy, or: mv {path} {path}.broken"
        ) from None


def _read(path: Path) -> Ed25519PrivateKey:
    key = load_pem_private_key(path.read_bytes(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError  # noqa: TRY004  the caller raises the error that people see
    return key


def _make(path: Path) -> Ed25519PrivateKey:
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    _write(path, secret)
    write_public_half(path, key)
    return key


def write_public_half(path: Path, key: Ed25519PrivateKey) -> None:
    """Write the public half of the key in the file at `path` beside it. Raises OSError."""
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    _write(path.with_suffix(".pub"), public)


def _write(path: Path, content: bytes) -> None:
    unfinished = path.with_name(path.name + ".new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(unfinished, flags, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    put_in_place(unfinished, path)
