"""Which of gVisor's points are asked for, and the calls that are told by their number alone. Pure."""

from __future__ import annotations

from typing import Any

_CONTEXT = ["time", "thread_id", "group_id", "credentials"]
"""No text among them: one byte that is not UTF-8 in a process's name would silence all of its events."""

COUNTED_CALLS = {
    82: "rename", 264: "rename", 316: "rename",
    87: "unlink", 263: "unlink", 84: "rmdir",
    83: "mkdir", 258: "mkdir",
    86: "link", 265: "link", 88: "symlink", 266: "symlink", 133: "mknod", 259: "mknod",
    90: "chmod", 91: "chmod", 268: "chmod",
    92: "chown", 93: "chown", 94: "chown", 260: "chown",
    76: "truncate", 77: "truncate",
    44: "send", 46: "send", 307: "send", 50: "listen",
    62: "kill", 200: "kill", 234: "kill", 129: "kill", 297: "kill", 424: "kill",
    101: "ptrace", 310: "process_vm_readv", 311: "process_vm_writev",
    165: "mount", 166: "umount", 155: "pivot_root", 272: "unshare", 308: "setns",
    319: "memfd_create", 126: "capset", 321: "bpf", 425: "io_uring_setup", 250: "keyctl",
    169: "reboot", 175: "init_module", 313: "init_module", 435: "clone3", 72: "fcntl",
}  # fmt: skip
"""System calls of x86-64 whose arguments gVisor does not decode, by number."""

CHDIR, FCHDIR, CHROOT = 80, 81, 161
EXECUTIONS = (59, 322)
READABLE_CALLS = {
    2: "open", 257: "open", 85: "open",
    **dict.fromkeys(EXECUTIONS, "execve"),
    CHDIR: "chdir", FCHDIR: "chdir", CHROOT: "chroot",
}  # fmt: skip
"""Calls whose events name files. gVisor loses such an event, uncounted, if the name is not UTF-8, so they are
counted without names as well."""

_NAMED = (
    "sentry/clone",
    "sentry/execve",
    "sentry/task_exit",
    "syscall/connect/exit",
    "syscall/bind/exit",
    "syscall/accept/exit",
    "syscall/accept4/exit",
    "syscall/socket/exit",
    "syscall/open/exit",
    "syscall/creat/exit",
    "syscall/chdir/exit",
    "syscall/dup/exit",
    "syscall/dup2/exit",
    "syscall/dup3/exit",
    "syscall/setuid/exit",
    "syscall/setgid/exit",
    "syscall/setresuid/exit",
    "syscall/setresgid/exit",
    "syscall/chroot/exit",
    "syscall/execve/enter",
)
_WITH_PATH = (
    "syscall/openat/exit",
    "syscall/close/enter",
    "syscall/fchdir/exit",
    "syscall/execveat/enter",
)
ARCHITECTURES = ("x86_64",)
"""Machines whose numbers of system calls are known."""

_RETRIES = 40
"""How often a call waits for space in a full buffer, for 25 us at first and for 10 ms at most: 323 ms in all.
Only then its event is dropped. So a flood goes on no faster than it is read, and a program whose listener
hangs goes on slowly until that listener is replaced."""


def session(endpoint: str) -> dict[str, Any]:
    """Return the configuration of a trace session whose events go to the Unix socket `endpoint`."""
    points = [_point(name) for name in _NAMED]
    points += [_point(name, "fd_path") for name in _WITH_PATH]
    points += [_point(f"syscall/sysno/{number}/enter") for number in (*COUNTED_CALLS, *READABLE_CALLS)]
    points += [_point(f"syscall/sysno/{number}/exit") for number in (*COUNTED_CALLS, *EXECUTIONS)]
    sink = {"name": "remote", "config": {"endpoint": endpoint, "retries": _RETRIES}}
    return {"name": "Default", "points": points, "sinks": [sink]}


def _point(name: str, *optional: str) -> dict[str, Any]:
    return {
        "name": name,
        "context_fields": _CONTEXT,
        **({"optional_fields": [*optional]} if optional else {}),
    }
