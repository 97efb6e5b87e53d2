"""Processes that start, become another program, and end. Pure."""

from __future__ import annotations

import shlex
from typing import Any

from engine.models.observed import Basis, ObservedKind
from engine.sandbox.observed import routine
from engine.sandbox.observed.addresses import text
from engine.sandbox.observed.effect_table import Act, EffectTable
from engine.sandbox.observed.files import seconds
from engine.sandbox.observed.processes import INTERPRETER, Process, ProcessTable

_THREAD = 0x10000
_SHARED_FILES = 0x400
_NAMESPACES = 0x7E020000
_MOST_ARGUMENTS = 64
_NAMELESS = "executed, but the kernel did not tell its name"
_SETTERS = {105: "setuid", 106: "setgid", 117: "setresuid", 119: "setresgid", 113: "setreuid"}


def clone(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Take a new thread or process."""
    at = seconds(message)
    if message.flags & _NAMESPACES:
        detail = f"clone with new namespaces {message.flags & _NAMESPACES:#x}"
        effects.add(_act(process, ObservedKind.PRIVILEGE, "namespaces", at, detail))
    if message.flags & _THREAD or message.pid == process.pid:
        act = Act(ObservedKind.THREAD, process.program, process.program, process.pid, at, routine=True)
        effects.add(act)
        process.threads += 1
        return
    processes.start(message.pid, process, shares_files=bool(message.flags & _SHARED_FILES))


def execve_call(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Note what a thread tries to execute: the kernel tells only of success."""
    folder = message.fd if message.sysno == 322 else -100
    name = text(message.path)
    path = process.path(name, folder, text(message.fd_path)) if name else text(message.fd_path)
    process.attempts[message.context.tid] = path


def attempted(effects: EffectTable, message: Any, process: Process) -> None:
    """Take the outcome of a call that executes a file: before that of a success comes the kernel's own event.

    Where that did not come, its name is not UTF-8.
    """
    if message.exit.errno:
        return
    if not process.named:
        path = process.attempts.pop(message.context.tid, "")
        act = _act(process, ObservedKind.PROCESS, path, seconds(message), _NAMELESS, Basis.ASKED)
        _became(process, path or process.program, _NAMELESS, effects.add(act))
    process.named = False


def execve(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Add a program that a process has become."""
    process.named = True
    binary = text(message.binary)
    arguments = [text(one) for one in message.argv[:_MOST_ARGUMENTS]]
    more = f" … ({len(message.argv) - _MOST_ARGUMENTS} more)" if len(message.argv) > _MOST_ARGUMENTS else ""
    detail = shlex.join(arguments) + more
    at = seconds(message)
    common = process.helper or routine.is_routine_program(binary, [text(one) for one in message.argv])
    act = Act(ObservedKind.PROCESS, binary, process.program, process.pid, at, detail=detail, routine=common)
    _became(process, binary, detail, effects.add(act))
    if binary.startswith("/memfd:"):
        effects.add(_act(process, ObservedKind.MEMORY, binary, at, f"executed as {detail}"))


def _became(process: Process, program: str, command: str, entry: Any) -> None:
    process.program, process.command, process.entry, process.executed = program, command, entry, True
    process.attempts.clear()
    process.threads = 1
    process.files = {number: one for number, one in process.files.items() if not one.closes}


def task_exit(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Take the end of a thread or process."""
    at = seconds(message)
    failed = process.attempts.pop(message.context.tid, "")
    if failed:
        act = _act(process, ObservedKind.PROCESS, failed, at, "could not be executed", Basis.ASKED)
        entry = effects.add(act)
        if entry is not None:
            entry.refused += 1
    if _goes_on(process, message.context.tid):
        return
    if not process.executed and not failed and process.pid != INTERPRETER:
        process.entry = effects.add(_act(process, ObservedKind.PROCESS, process.program, at, "fork"))
    if process.entry is not None:
        effects.ended(process.entry, _exit_code(message.status))
    processes.end(process.pid)


def _goes_on(process: Process, ended: int) -> bool:
    """Return whether a process has threads left: its first one may end before the others."""
    process.leaderless |= ended == process.pid
    process.threads -= 1
    if not process.leaderless:
        process.threads = max(1, process.threads)
    return process.threads > 0


def _exit_code(status: int) -> int:
    return 128 + (status & 127) if status & 127 else (status >> 8) & 255


def setid(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Add a change of user or group."""
    name = _SETTERS.get(message.sysno, "setid")
    number = message.id if hasattr(message, "id") else message.euid
    errno = message.exit.errno
    act = Act(
        ObservedKind.PRIVILEGE, f"{name} {_signed(number)}", process.program, process.pid,
        seconds(message), Basis.KERNEL, "", errno, process.helper,
    )  # fmt: skip
    effects.add(act)


def _signed(number: int) -> int:
    return number - 2**32 if number == 2**32 - 1 else number


def _act(
    process: Process,
    kind: ObservedKind,
    target: str,
    at: float,
    detail: str = "",
    basis: Basis = Basis.KERNEL,
) -> Act:
    return Act(kind, target, process.program, process.pid, at, basis, detail, routine=process.helper)
