"""Calls that the kernel reports with their registers alone: counted, and read as far as numbers go. Pure."""

from __future__ import annotations

import errno
import signal
from dataclasses import replace
from typing import Any

from engine.models.observed import Basis, ObservedKind
from engine.sandbox.observed import sockets
from engine.sandbox.observed.effect_table import Act, EffectTable
from engine.sandbox.observed.files import seconds
from engine.sandbox.observed.points import COUNTED_CALLS
from engine.sandbox.observed.processes import Descriptor, Process, ProcessTable

_KINDS = {
    "rename": ObservedKind.RENAME,
    "unlink": ObservedKind.DELETE, "rmdir": ObservedKind.DELETE,
    "mkdir": ObservedKind.FOLDER,
    "link": ObservedKind.LINK, "symlink": ObservedKind.LINK, "mknod": ObservedKind.WRITE,
    "chmod": ObservedKind.ATTRIBUTES, "chown": ObservedKind.ATTRIBUTES,
    "truncate": ObservedKind.WRITE,
    "ptrace": ObservedKind.TRACE, "process_vm_readv": ObservedKind.TRACE,
    "process_vm_writev": ObservedKind.TRACE,
    "mount": ObservedKind.MOUNT, "umount": ObservedKind.MOUNT, "pivot_root": ObservedKind.MOUNT,
    "unshare": ObservedKind.PRIVILEGE, "setns": ObservedKind.PRIVILEGE, "capset": ObservedKind.PRIVILEGE,
    "memfd_create": ObservedKind.MEMORY,
    "bpf": ObservedKind.KERNEL, "io_uring_setup": ObservedKind.KERNEL, "keyctl": ObservedKind.KERNEL,
    "reboot": ObservedKind.KERNEL, "init_module": ObservedKind.KERNEL,
}  # fmt: skip
_TARGETS = {62: (0, 1), 200: (0, 1), 129: (0, 1), 234: (0, 2), 297: (0, 2)}
"""Calls that send a signal: which registers hold the process, and the signal."""
_PIDFD_SIGNAL = 424
_DUPLICATES = frozenset({0, 1030})
"""F_DUPFD and F_DUPFD_CLOEXEC."""


def count(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Add a call that has returned."""
    name = COUNTED_CALLS[message.sysno]
    if name == "fcntl":
        _duplicated(message, process)
    elif (act := _act(processes, message, process, name)) is not None:
        effects.add(act)


def _act(processes: ProcessTable, message: Any, process: Process, name: str) -> Act | None:
    match name:
        case "send":
            return sockets.sent(process, message)
        case "listen":
            descriptor = process.files.get(message.arg0, Descriptor())
            return sockets.listening(process, descriptor, seconds(message), message.exit.errno)
        case "kill":
            return _signal(processes, message, process)
        case "clone3":
            return None  # its result is told by the point of clone
        case "truncate" if message.sysno == 77:
            return _truncated(message, process)
        case _:
            return _counted(message, process, name, "", _registers(name, message))


def _duplicated(message: Any, process: Process) -> None:
    """Note what else a descriptor is called; nothing else of `fcntl` is told."""
    known = process.files.get(message.arg0)
    if message.arg1 in _DUPLICATES and known is not None and not message.exit.errno:
        process.opened(message.exit.result, replace(known, closes=message.arg1 != 0))


def _truncated(message: Any, process: Process) -> Act | None:
    """Return None where the file was opened for writing: that is an effect already."""
    descriptor = process.files.get(message.arg0)
    if descriptor is None or descriptor.file is not None:
        return None
    return _counted(message, process, "truncate", "", "truncate")


def _registers(name: str, message: Any) -> str:
    if name == "unshare":
        return f"unshare {message.arg0:#x}"
    if name == "ptrace":
        return f"ptrace request {message.arg0}"
    return name


def _counted(message: Any, process: Process, name: str, target: str, detail: str) -> Act:
    absent = name == "io_uring_setup" and message.exit.errno == errno.ENOSYS
    return Act(
        _KINDS[name], target, process.program, process.pid, seconds(message), Basis.COUNTED, detail,
        message.exit.errno, process.helper or absent,
    )  # fmt: skip


def _signal(processes: ProcessTable, message: Any, process: Process) -> Act:
    registers = (message.arg0, message.arg1, message.arg2)
    if message.sysno == _PIDFD_SIGNAL:
        target, number = "a process", message.arg1
    else:
        whom, which = _TARGETS[message.sysno]
        target, number = _whom(processes, process, registers[whom]), registers[which]
    return Act(
        ObservedKind.SIGNAL, target, process.program, process.pid, seconds(message), Basis.KERNEL,
        _signal_name(number), message.exit.errno, process.helper,
    )  # fmt: skip


def _whom(processes: ProcessTable, process: Process, register: int) -> str:
    pid = register & 0xFFFFFFFF
    pid -= 2**32 if pid >= 2**31 else 0
    if pid == process.pid:
        return "itself"
    if pid == -1:
        return "every process"
    if pid <= 0:
        return "its own process group" if pid == 0 else f"process group {-pid}"
    if pid == 1:
        return "the supervisor"
    known = processes.get(pid)
    return f"process {pid} ({known.program})" if known is not None else f"process {pid}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name if number else "whether it exists"
    except ValueError:
        return f"signal {number}"
