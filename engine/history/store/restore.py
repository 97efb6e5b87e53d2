"""Puts a backup in the place of a history, once a copy of it was opened and verified."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.serialization import load_pem_private_key

from engine.common.local_files import new_file, open_file, private_folder, read_file, sync_folder
from engine.history.chain.signing_key import write_public_half
from engine.history.errors import HistoryError
from engine.history.store.sql.writer import open_ledger
from engine.history.store.sqlite.backup import verified_copy
from engine.history.store.sqlite.database import SqliteDatabase
from engine.history.store.sqlite.lock import take_lock
from engine.models import Verification
from engine.settings import HistorySettings

KEYS = "keys"
"""The folder of the reviewers' keys beside a history."""
DRILLS = "drills.json"
"""The file of drills beside a history: it is replaced by that of a backup, and stays where there is none."""
MOST_KEY = 4096
"""Bytes of a file with a key."""
BLOCK = 1 << 20
REQUIRED, OPTIONAL = (".db", ".key"), (".db-wal", ".db.checkpoints")
MADE = (".db-shm", ".pub")
"""What lies beside a history and is made from the rest."""


class Restored(NamedTuple):
    """What was put in place, and where the history is that was there."""

    verification: Verification
    aside: Path | None


def restore(backup: Path, path: Path, *, replace: bool) -> Restored:
    """Put the history and the keys of a backup at `path`; what is there is moved aside where `replace`.

    Raises:
        HistoryError: an engine runs, a history is there already, or the backup is not intact. Nothing was
            replaced.
    """
    with contextlib.closing(take_lock(path)):
        there = _there(path)
        if there and not replace:
            raise HistoryError(
                f"There is a history in {path.parent} already",
                hint=f"To move it aside, type: pratique restore --replace {backup}",
            )
        staged = path.parent / f".restoring-{secrets.token_hex(4)}"
        try:
            found = _checked(backup, staged / path.name)
            there += _replaced_drills(staged, path)
            return Restored(found, _swap(staged, path, there))
        except OSError as error:
            raise HistoryError(f"{path.parent} cannot be written: {error.strerror}") from None
        finally:
            shutil.rmtree(staged, ignore_errors=True)


def _there(path: Path) -> list[Path]:
    """Return the files of the history at `path`, and the folder of keys unless it is empty."""
    files = [path.with_suffix(suffix) for suffix in (*MADE, *OPTIONAL, *REQUIRED)]
    keys = path.with_name(KEYS)
    return [one for one in files if os.path.lexists(one)] + ([keys] if any(_names(keys)) else [])


def _replaced_drills(staged: Path, path: Path) -> list[Path]:
    there = path.with_name(DRILLS)
    return [there] if (staged / DRILLS).exists() and os.path.lexists(there) else []


def _names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []


def _checked(backup: Path, staged: Path) -> Verification:
    """Copy a backup, open the copy as an engine does, and verify it."""
    try:
        _copy(backup, staged)
        ledger = open_ledger(SqliteDatabase(staged), HistorySettings())
        ledger.connection.close()
        write_public_half(staged.with_suffix(".key"), ledger.key)
        found = verified_copy(staged)
    except (HistoryError, OSError, ValueError, sqlite3.Error) as error:
        raise _unusable(backup, _reason(error)) from None
    if not found.intact:
        raise _unusable(backup, found.problem)
    return found


def _unusable(backup: Path, why: str) -> HistoryError:
    return HistoryError(
        f"The backup {backup} cannot be restored, and nothing was replaced: {why}", hint="Name another backup"
    )


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{Path(str(error.filename)).name}: {error.strerror}"
    return error.title if isinstance(error, HistoryError) else str(error) or "it is damaged"


def _copy(backup: Path, staged: Path) -> None:
    private_folder(staged.parent)
    for suffix in REQUIRED:
        _copy_file(backup / staged.with_suffix(suffix).name, staged.with_suffix(suffix))
    for suffix in OPTIONAL:
        with contextlib.suppress(FileNotFoundError):
            _copy_file(backup / staged.with_suffix(suffix).name, staged.with_suffix(suffix))
    with contextlib.suppress(FileNotFoundError):
        _copy_file(backup / DRILLS, staged.with_name(DRILLS))
    keys = private_folder(staged.with_name(KEYS))
    for name in _names(backup / KEYS):
        content = read_file(backup / KEYS / name, MOST_KEY, follow=False)
        load_pem_private_key(content, password=None)
        with new_file(keys / name) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    sync_folder(keys)


def _copy_file(source: Path, target: Path) -> None:
    with open_file(source, follow=False) as reader, new_file(target) as writer:
        shutil.copyfileobj(reader, writer, BLOCK)
        writer.flush()
        os.fsync(writer.fileno())


def _swap(staged: Path, path: Path, there: list[Path]) -> Path | None:
    """Move what is there aside, and the copy into its place: the database last."""
    aside = _aside(path) if there else None
    for one in there:
        one.rename((aside or path.parent) / one.name)
    new = _there(staged / path.name)
    new += [staged / DRILLS] if (staged / DRILLS).exists() else []
    for one in sorted(new, key=lambda one: one.suffix == path.suffix):
        if one.is_dir():
            with contextlib.suppress(FileNotFoundError):
                (path.parent / one.name).rmdir()
        one.rename(path.parent / one.name)
    sync_folder(path.parent)
    return aside


def _aside(path: Path) -> Path:
    now = datetime.now(UTC)
    folder = path.with_name(f"replaced-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}")
    folder.mkdir(mode=0o700)
    return folder
