"""Files that a process opens. Pure."""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from typing import Any

from engine.common.effects.package_places import package_folder
from engine.models.observed import Basis, ObservedKind
from engine.sandbox.observed import routine
from engine.sandbox.observed.addresses import text
from engine.sandbox.observed.effect_table import Act, EffectTable
from engine.sandbox.observed.points import FCHDIR
from engine.sandbox.observed.processes import (
    CURRENT_FOLDER,
    Descriptor,
    OpenedFile,
    Process,
    ProcessTable,
)

_CREAT = 85
_DELETED = " (deleted)"
_FLAGS = {
    os.O_CREAT: "create", os.O_EXCL: "exclusive", os.O_TRUNC: "truncate", os.O_APPEND: "append",
}  # fmt: skip
_TEMPORARY = 0o20000000 | os.O_DIRECTORY
"""O_TMPFILE of x86-64: a file without a name."""


def seconds(message: Any) -> float:
    """Return when an event happened, in seconds since 1970."""
    return float(message.context.time) / 1e9


def opened(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Add what opening a file is: a read or a write."""
    creat = message.sysno == _CREAT
    flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC if creat else message.flags
    folder = message.fd if message.sysno not in {2, _CREAT} else CURRENT_FOLDER
    path = process.path(text(message.path), folder, text(message.fd_path))
    writes = flags & os.O_ACCMODE != os.O_RDONLY or bool(flags & (os.O_CREAT | os.O_TRUNC))
    act = _act(process, path, seconds(message), flags, message.exit.errno, writes=writes)
    entry = effects.add(act)
    if not message.exit.errno:
        file = OpenedFile(act.kind, entry)
        process.opened(message.exit.result, Descriptor(path, file, closes=bool(flags & os.O_CLOEXEC)))


def _act(process: Process, path: str, at: float, flags: int, errno: int, *, writes: bool) -> Act:
    kind = ObservedKind.WRITE if writes else ObservedKind.READ
    common = process.helper or (routine.is_routine_write(path) if writes else _is_routine_read(path))
    if not writes and routine.is_installation(path):
        path = package_folder(path) or "(the installation of the language)"
    detail = _described(flags) if writes else ""
    return Act(kind, path, process.program, process.pid, at, Basis.ASKED, detail, errno, common)


@functools.lru_cache(maxsize=1024)
def _is_routine_read(path: str) -> bool:
    return routine.is_installation(path) or routine.is_routine_read(path)


@functools.lru_cache(maxsize=64)
def _described(flags: int) -> str:
    if flags & _TEMPORARY == _TEMPORARY:
        return "without a name"
    return ", ".join(word for flag, word in _FLAGS.items() if flags & flag)


def closed(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Take the file's true name, which the kernel tells when it is closed."""
    descriptor = process.files.pop(message.fd, None)
    path = text(message.fd_path)
    if not path.startswith("/") or path.startswith("/memfd:"):
        return
    path, gone = (path.removesuffix(_DELETED), True) if path.endswith(_DELETED) else (path, False)
    path = process.own(path)
    if descriptor is None or descriptor.file is None or descriptor.file.named:
        return
    file = descriptor.file
    file.named = True
    if descriptor.name == path or routine.is_installation(path):
        effects.prove(file.entry)
    else:
        _other(effects, process, descriptor.name, file.kind, path, seconds(message))
    if gone and file.kind is ObservedKind.WRITE:
        detail = "no longer had a name when it was closed"
        act = Act(ObservedKind.DELETE, path, process.program, process.pid, seconds(message), detail=detail)
        effects.add(act)


def duplicated(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Note what else a descriptor is called; its file's true name is taken where one of them is closed."""
    if (known := process.files.get(message.old)) is not None and not message.exit.errno:
        process.opened(message.exit.result, replace(known, closes=False))


def _other(
    effects: EffectTable, process: Process, name: str, kind: ObservedKind, path: str, at: float
) -> None:
    """Add a file that was opened by another name: a link, or a name that was changed meanwhile."""
    writes = kind is ObservedKind.WRITE
    common = process.helper or (routine.is_routine_write(path) if writes else _is_routine_read(path))
    detail = f"opened as {name}"
    effects.add(Act(kind, path, process.program, process.pid, at, Basis.KERNEL, detail, 0, common))


def chdir(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Follow a process into another folder."""
    process.folder = process.left
    if message.exit.errno:
        return
    named = message.sysno == FCHDIR
    process.folder = text(message.fd_path) if named else process.path(text(message.path))


def leave(process: Process) -> None:
    """Expect a change of folder: where its event does not come, the folder is not known from then on."""
    process.left, process.folder = process.folder, ""


def chroot(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Add an attempt to change the root."""
    path = process.path(text(message.path))
    at, errno = seconds(message), message.exit.errno
    act = Act(ObservedKind.MOUNT, path, process.program, process.pid, at, Basis.ASKED, "chroot", errno)
    effects.add(act)
