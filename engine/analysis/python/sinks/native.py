"""Native code and privileged system calls."""

from __future__ import annotations

import re

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import CALLS, METHODS, PREFIXES, PythonCall, handles
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.loops.resources import number, too_many
from engine.analysis.python.rules import processes as rules
from engine.analysis.python.word_lists import words
from engine.models import Level

NATIVE = python_rule(
    "py-native-code",
    "Native code is called",
    "kernel_surface",
    Level.MEDIUM,
    attack="Leaves the interpreter and its checks: can make any system call and use any address.",
    why=("MEDIUM: numeric code calls libraries; HIGH where system calls or process memory are accessed."),
    fix="Use a Python library; do not load native libraries by path.",
    match=("import ctypes\nctypes.CDLL('libm.so.6')", "import ctypes\nctypes.cdll.LoadLibrary(x)"),
    not_match=("import ctypes\nctypes.c_int(1)",),
    cwe=111,
)


# --- native code ---

_LOADERS = words(
    "ctypes.CDLL ctypes.PyDLL ctypes.WinDLL ctypes.OleDLL ctypes.cdll.LoadLibrary "
    "ctypes.windll.LoadLibrary ctypes.util.find_library cffi.FFI().dlopen ctypes.pydll.LoadLibrary "
    "_ctypes.dlopen ctypes.LibraryLoader numpy.ctypeslib.load_library torch.ops.load_library "
    "torch.classes.load_library"
)


@handles(*_LOADERS)
def load_library(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report a native library; what is called in it is judged by its name."""
    if call.name.endswith("find_library"):
        return None
    evaluator.report(NATIVE, call.node, f"Loads {call.text(0) or 'a library'}")
    return PythonValue(name="ctypes.library")


_CALM = re.compile(
    r"^ctypes\.(?:c_|POINTER|Structure|Union|sizeof|byref|cast|create_|get_errno|set_errno|string_at|addressof|"
    r"py_object|pointer|resize|ARRAY|alignment|memset|wstring_at|CFUNCTYPE|util|ArgumentError)"
)
_SYSCALLS = re.compile(
    r"(?i)syscall|ptrace|mount|prctl|setuid|setgid|unshare|setns|clone|bpf|keyctl|add_key|module|kexec|reboot|"
    r"process_vm|personality|perf_event|io_uring|userfaultfd|mprotect|mmap|memfd|pivot_root|chroot|iopl|ioperm|"
    r"VirtualAlloc|VirtualProtect|CreateRemoteThread|WriteProcessMemory|OpenProcess|RtlMoveMemory|"
    r"SetWindowsHook|AdjustToken|NtRaise|IsDebugger|open_by_handle|system|execv|mknod|swapon|sethostname"
)


def _ctypes(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    last = call.name.rpartition(".")[2]
    if _SYSCALLS.search(last):
        evaluator.report(rules.SYSCALL, call.node, f"`{last}` in native code")
        return None
    if call.name.startswith(("ctypes.pythonapi", "ctypes.string_at", "ctypes.memmove")):
        evaluator.report(rules.SYSCALL, call.node, f"`{last}` reads or writes the interpreter's memory")
        return None
    if _CALM.match(call.name):
        return None
    evaluator.report(NATIVE, call.node, f"Calls `{last}` in native code")
    return None


PREFIXES["ctypes"] = _ctypes
_KERNEL = words(
    "os.mknod os.setuid os.setgid os.seteuid os.setegid os.setreuid os.setresuid os.setgroups "
    "os.chroot os.unshare os.setns os.pivot_root fcntl.ioctl os.memfd_create os.makedev os.initgroups "
    "socket.sethostname"
)


@handles("os.setxattr", "os.removexattr")
def attribute(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report extended attributes of files that give rights."""
    name = call.text(1, "attribute") or ""
    if not name.startswith("user."):
        evaluator.report(rules.SYSCALL, call.node, f"Changes the attribute `{name or '?'}` of a file")
    return None


@handles("os.nice", "os.setpriority", "os.sched_setscheduler", "os.sched_setparam")
def priority(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report a process that takes the processor from others; stepping back is fine."""
    wanted = call.args[-1] if call.args else None
    number = wanted.const if wanted is not None and isinstance(wanted.const, int) else None
    if call.name.startswith("os.sched") or number is None or number < 0:
        evaluator.report(rules.SYSCALL, call.node, f"`{call.name}` takes precedence", severity=Level.MEDIUM)
    return None


@handles("mmap.mmap")
def map_memory(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report memory that is very large, or that is writable and runs."""
    too_many(evaluator, call.node, number(call.arg(1, "length")))
    wanted = call.arg(2, "flags") if call.has(2, "flags") and not call.keywords else call.keywords.get("prot")
    bits = wanted.const if wanted is not None and isinstance(wanted.const, int) else 0
    if bits & 4 or "PROT_EXEC" in evaluator.code(call.node):
        evaluator.report(NATIVE, call.node, "Maps memory that code can run in")
    return PythonValue(name="mmap.mmap()")


def _extension(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    evaluator.report(NATIVE, call.node, "Loads a library into the database")
    return None


METHODS["load_extension"] = METHODS["enable_load_extension"] = _extension
for _name in ("load_extension", "enable_load_extension"):
    CALLS[f"sqlite3.connect().{_name}"] = _extension


@handles(*_KERNEL)
def kernel(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report calls that only the machine's owner should make."""
    level = Level.MEDIUM if call.name in ("fcntl.ioctl", "os.makedev") else None
    evaluator.report(rules.SYSCALL, call.node, f"`{call.name}`", severity=level)
    return None
