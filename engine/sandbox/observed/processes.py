"""The processes of a sandbox, as its events tell of them. Pure."""

from __future__ import annotations

import functools
import posixpath
from dataclasses import dataclass, field
from typing import Any

from engine.models.observed import ObservedKind

SUPERVISOR, INTERPRETER = 1, 2
"""The numbers of the first two processes of every sandbox."""
SUPERVISOR_USERS = (0, 1001)
PROGRAM, HELPER = "the program", "the engine"
"""How the process of the submitted code is called, and what the engine started beside it."""
_HOME = "/workspace"
_MOST_PROCESSES = 4096
_MOST_DESCRIPTORS = 1024
CURRENT_FOLDER = -100


@functools.lru_cache(maxsize=1024)
def _normal(path: str) -> str:
    """Return an absolute path without `.`, `..` and doubled slashes: floods repeat few names."""
    return posixpath.normpath(path).replace("//", "/", 1)


@dataclass(slots=True)
class OpenedFile:
    """A file that was opened, under whatever numbers and in whatever processes it is known."""

    kind: ObservedKind
    entry: Any
    """The effect that opening it was; None where that is not kept."""
    named: bool = False
    """Whether the kernel has told its true name."""


@dataclass(slots=True)
class Descriptor:
    """What a descriptor of a process was opened on."""

    name: str = ""
    """The path that was asked for, or the address."""
    file: OpenedFile | None = None
    domain: int = 0
    datagrams: bool = False
    closes: bool = False
    """Whether it is closed when the process becomes another program."""


@dataclass(slots=True)
class Process:
    """One process of the sandbox."""

    pid: int
    program: str
    """The file that it executes, or one of the names above."""
    command: str = ""
    """Its arguments, where it was seen to become a program."""
    parent: int = 0
    """The process that started it, where that is not the supervisor."""
    threads: int = 1
    leaderless: bool = False
    """Whether its first thread has ended; others may go on."""
    helper: bool = False
    """Whether it is the engine's own: started beside the program."""
    folder: str = _HOME
    """Its current folder; empty once that is not known."""
    left: str = ""
    """The folder that it is about to leave."""
    files: dict[int, Descriptor] = field(default_factory=dict)
    entry: Any = None
    """The effect of its start."""
    executed: bool = False
    """Whether it executes another file than the process that started it."""
    attempts: dict[int, str] = field(default_factory=dict)
    """The file that a thread of it tries to execute."""
    named: bool = False
    """Whether the kernel has named what it executes, and the call has yet to return."""

    def path(self, name: str, folder: int = CURRENT_FOLDER, folder_path: str = "") -> str:
        """Return an absolute path for a name as it was passed, without following links."""
        if not name.startswith("/"):
            base = folder_path if folder >= 0 else self.folder
            if not base:
                return f"(unknown folder)/{name}"
            name = f"{base}/{name}"
        return self.own(_normal(name))

    def own(self, path: str) -> str:
        """Return a path in which the number of this process is `self`."""
        for prefix in (f"/proc/{self.pid}", "/proc/thread-self"):
            if path == prefix or path.startswith(prefix + "/"):
                return "/proc/self" + path[len(prefix) :]
        return path

    def opened(self, number: int, descriptor: Descriptor) -> None:
        """Note what a descriptor stands for."""
        if len(self.files) < _MOST_DESCRIPTORS or number in self.files:
            self.files[number] = descriptor


class ProcessTable:
    """Knows the processes of the program, and those of the engine beside it."""

    def __init__(self) -> None:
        self._known: dict[int, Process] = {}
        self._helpers_may_come = True
        self._interpreters: set[int] = {INTERPRETER}
        """What the supervisor has started: the one that becomes the program's user runs the code."""
        self._forgotten: set[int] = set()
        """The numbers of processes of the program that ended, or were too many to be kept. Whatever still
        comes from them is the program's: otherwise it could pass for the engine."""

    def of(self, pid: int, user: int) -> Process | None:
        """Return a process of the program or a helper; None: the supervisor, which is the engine's."""
        if (found := self._known.get(pid)) is not None:
            return found
        if pid == SUPERVISOR or user in SUPERVISOR_USERS:
            return None
        if pid in self._interpreters or pid in self._forgotten or not self._helpers_may_come:
            return self._add(Process(pid, PROGRAM, executed=True))
        return self._add(Process(pid, HELPER, helper=True))

    @property
    def living(self) -> list[Process]:
        """The processes that have not ended."""
        return list(self._known.values())

    def get(self, pid: int) -> Process | None:
        """Return a process that was seen before."""
        return self._known.get(pid)

    def start_interpreter(self, pid: int) -> None:
        """Expect the language's interpreter, or a helper that keeps the supervisor's user."""
        self._interpreters.add(pid)

    def start(self, pid: int, parent: Process, *, shares_files: bool = False) -> Process:
        """Add a process that another one has started; it may share its descriptors from then on."""
        child = Process(pid, parent.program, parent.command, parent.pid, helper=parent.helper)
        child.folder = parent.folder
        child.files = parent.files if shares_files else dict(parent.files)
        return self._add(child)

    def end(self, pid: int) -> None:
        """Forget a process."""
        process = self._known.pop(pid, None)
        if process is not None and not process.helper:
            self._forgotten.add(pid)

    def begin(self, *, helpers: bool) -> None:
        """Forget the effects that go with processes: code is about to be sent to the first of them.

        `helpers`: whether the engine starts any beside the program. Where not, whatever appears is the
        program's: the interpreter may have started before anything was observed.
        """
        self._helpers_may_come = helpers
        for process in self._known.values():
            process.helper &= helpers
            process.executed = True  # what had started before is no fork of the program
            process.entry, process.command = None, ""
            process.program = HELPER if process.helper else PROGRAM
            process.files = {number: Descriptor() for number in process.files}

    def _add(self, process: Process) -> Process:
        if len(self._known) >= _MOST_PROCESSES:
            self.end(next(iter(self._known)))
        self._known[process.pid] = process
        return process
