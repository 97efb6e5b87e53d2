"""The Ed25519 key of each principal, made when it is first needed, and readable by its owner alone."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from engine.common.local_files import private_folder, sync_folder, write_private
from engine.models import Principal


class KeyUnusable(Exception):
    """A key file that others can read, or that holds no Ed25519 key."""


class KeyRing:
    """The keys in one folder, a file for each principal, named by the SHA-256 of the principal's name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, principal: Principal) -> Ed25519PrivateKey:
        """Return the key of a principal.

        Raises:
            KeyUnusable: the file is open to others, damaged, or cannot be made.
        """
        path = self.path_of(principal)
        try:
            with contextlib.suppress(FileNotFoundError):
                return _read(path)
            private_folder(self._folder)
            _write(path)
            return _read(path)
        except OSError as error:
            raise KeyUnusable(f"the key {path} cannot be used: {error.strerror}") from None

    def pem(self, principal: Principal) -> bytes:
        """Return the file of the key of a principal, made where there is none. Raises KeyUnusable."""
        self.key(principal)
        return self.path_of(principal).read_bytes()

    def put(self, principal: Principal, pem: bytes) -> None:
        """Keep the file of a key that was made elsewhere. Raises KeyUnusable: it cannot be written."""
        path = self.path_of(principal)
        try:
            private_folder(self._folder)
            if not self.has_key(principal) or path.read_bytes() != pem:
                write_private(path, pem)
        except OSError as error:
            raise KeyUnusable(f"the key {path} cannot be used: {error.strerror}") from None

    def has_key(self, principal: Principal) -> bool:
        """Return whether there is a file for the key of a principal, usable or not."""
        return os.path.lexists(self.path_of(principal))

    def path_of(self, principal: Principal) -> Path:
        """Return where the key of a principal lies."""
        return self._folder / f"{hashlib.sha256(principal.name.text.encode()).hexdigest()[:32]}.pem"


def _read(path: Path) -> Ed25519PrivateKey:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if stat.S_IMODE(about.st_mode) & 0o077 or about.st_uid != os.getuid():
            raise KeyUnusable(f"the key {path} is open to others: chmod 600 {path}, or move it away")
        content = file.read(4096)
    try:
        key = load_pem_private_key(content, password=None)
    except ValueError:
        raise KeyUnusable(f"{path} holds no key: move it away, and a new one is made") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyUnusable(f"{path} holds no Ed25519 key: move it away, and a new one is made")
    return key


def _write(path: Path) -> None:
    """Put a new key in place, whole or not at all; who comes second uses the first one's."""
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    part = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink()
    sync_folder(path.parent)
