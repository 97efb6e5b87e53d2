"""Runs programs, a few in each process, and says which of them had an effect.

Reads a JSON list of programs from standard input, each a text or `{"code": text, "writes": [name]}`, and
writes the list of `[number, event]` of those that did something: an audit event of the interpreter (PEP 578)
that computing, printing and writing the named files does not raise ends the process before it happens. It
uses the standard library alone, so that it runs in any image with a Python.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

CANARY = "canary-b3f1a9"
"""The value of a variable of the environment; a program that prints it has read it."""
QUIET = frozenset(
    {
        *("import", "compile", "exec", "marshal.loads", "code.__new__", "os.listdir", "os.scandir"),
        *("object.__getattr__", "object.__setattr__", "object.__delattr__", "array.__new__", "builtins.id"),
        *("sys._getframe", "sys._getframemodulename", "sys.unraisablehook", "sys.excepthook", "time.sleep"),
        *("builtins.input", "builtins.input/result", "sys.settrace", "sys.setprofile", "pdb.Pdb"),
    }
)
"""Events of computing, of the imports of the standard library, and of doctest's (unused) debugger."""
_LIBRARY = tuple(os.path.realpath(path) for path in (*sys.path, sys.base_prefix) if path)
_READABLE = (
    *("/usr/share/zoneinfo/", "/etc/localtime", "/etc/inputrc"),
    *("/usr/share/matplotlib/", "/usr/share/fonts/"),
)
_SOURCES = {"main.py", ".pdbrc", ".inputrc", "<unknown>", "<string>", "<stdin>"}
"""What the interpreter itself looks for, to quote lines in a traceback or to configure itself."""
_INPUTS = {
    "data.csv": "a,b\n1,2020-01-01\n3,2021-05-06\n",
    "some folder/notes.txt": "a,b\n1,2\n3,4\n",
}
_WRITABLE: set[str] = set()
"""Where the program that runs may write: the files that its proof names."""
_GRANTED: set[str] = set()
"""Where the input files are that programs with libraries for data are granted."""
GROUP = 25
"""So many programs share a process."""
MOST_SECONDS = 3.0
_MOST_CPU_SECONDS = 1.5
_LIMITS = ((resource.RLIMIT_AS, 1 << 30), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 1 << 26))
Program = str | dict[str, Any]
_BEGUN = b"\0"
_BUILTINS = dict(vars(builtins))


def _is_read(name: Any, mode: Any, flags: int | None) -> bool:
    """Return whether an event `open` only reads the library, or writes what the program may write."""
    if isinstance(name, int) or name is None or os.path.realpath(os.fsdecode(name)) in _WRITABLE:
        return True
    writes = (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    if writes or (mode and set(str(mode)) & set("wax+")):
        return False
    path = os.path.realpath(os.fsdecode(name))
    return path.startswith((*_LIBRARY, *_READABLE)) or Path(path).name in _SOURCES or path in _GRANTED


def _watch(report: int) -> None:
    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in QUIET or (event == "open" and _is_read(*args)):
            return
        os.write(report, f"{event} {str(args)[:200]}".encode())
        os._exit(77)

    sys.addaudithook(hook)


def _prepare(output: int) -> None:
    """Bound this process, and close its input."""
    for limit, value in _LIMITS:
        resource.setrlimit(limit, (value, value))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["main.py"]


def _begin() -> ModuleType:
    """Give a program its time, its streams and an empty main module, whatever the one before it left."""
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    signal.setitimer(signal.ITIMER_PROF, _MOST_CPU_SECONDS)
    sys.setrecursionlimit(1000)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
    builtins.__dict__.update(_BUILTINS)
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    main.__file__ = "main.py"
    return main


def _run(program: Program) -> None:
    main = _begin()
    _WRITABLE.clear()
    if not isinstance(program, str):
        _WRITABLE.update(os.path.realpath(name) for name in program["writes"])
    text = program if isinstance(program, str) else program["code"]
    code = compile(text, "main.py", "exec", dont_inherit=True)
    try:
        exec(code, main.__dict__)  # noqa: S102 - running them, watched, is what this is for
    except SystemExit:
        pass
    except BaseException as error:
        own = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(own), own)
    sys.stdout.flush()


def _child(programs: Sequence[Program], report: int, output: int) -> None:
    _prepare(output)
    _watch(report)
    for program in programs:
        os.write(report, _BEGUN)
        with contextlib.suppress(Exception):
            _run(program)


def _watched(programs: Sequence[Program]) -> tuple[int, str]:
    """Run programs in one process; return how many were begun before it ended, and the first effect."""
    report, told = os.pipe()
    output = os.memfd_create("output")
    child = os.fork()
    if child == 0:
        try:
            _child(programs, told, output)
        finally:
            os._exit(1)
    os.close(told)
    os.waitpid(child, 0)
    events = os.read(report, 1000).split(_BEGUN)
    printed = os.pread(output, os.fstat(output).st_size, 0)
    os.close(report)
    os.close(output)
    left = _unexpected(programs)
    if left:
        return len(events) - 1, f"writes {left}"
    canary = "prints the environment" if CANARY.encode() in printed else ""
    return len(events) - 1, events[-1].decode("utf-8", "replace") or canary


def effects(programs: Sequence[Program], group: int = GROUP) -> Iterator[tuple[int, str]]:
    """Yield the numbers of the programs that had an effect, and the effect.

    Programs share a process in groups, for a process costs far more than a program. A group with an effect is
    run again, each program alone, to say which one it was; if none has it alone, it is the last one's.

    Raises:
        RuntimeError: a process ended before its first program.
    """
    start = 0
    while start < len(programs):
        begun, event = _watched(programs[start : start + group])
        if not begun:
            raise RuntimeError(f"the process ended before program {start}: {event}")
        together = programs[start : start + begun]
        alone = [] if not event or begun == 1 else list(effects(together, 1))
        if event:
            yield from [(start + number, found) for number, found in alone] or [(start + begun - 1, event)]
        start += begun


def _unexpected(programs: Sequence[Program]) -> str:
    """Return what lies in the workspace and no program may write; take away what lies there."""
    allowed = {name for one in programs if not isinstance(one, str) for name in one["writes"]}
    found = [path for path in Path().rglob("*") if path.is_file() and os.path.realpath(path) not in _GRANTED]
    for path in found:
        path.unlink()
    return ", ".join(sorted(str(path) for path in found if str(path) not in allowed))


def _grant_inputs() -> None:
    for name, content in _INPUTS.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        _GRANTED.add(os.path.realpath(path))


def main() -> None:
    """Run the programs of standard input; the libraries that are arguments are imported before.

    What a library does when it is imported is the interpreter's own start, as it is for the standard library.
    """
    os.environ["SECRET"] = CANARY
    workspace = Path("/tmp/workspace")
    workspace.mkdir(exist_ok=True)
    os.chdir(workspace)
    for name in sys.argv[1:]:
        importlib.import_module(name)
        _grant_inputs()
    json.dump(list(effects(json.load(sys.stdin))), sys.stdout)


if __name__ == "__main__":
    main()
