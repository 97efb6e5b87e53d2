"""What a run is doing at one moment: its processes, what they have open, and its last effects."""

from __future__ import annotations

from engine.common.text import Untrusted
from engine.models.base import FrozenModel
from engine.models.observed import ObservedEffect
from engine.models.run import Meters

MOST_LAST_EFFECTS = 100
MOST_RECORDED = 40
"""How many processes, descriptors of each, files and effects the history keeps of a snapshot."""
MOST_RECORDED_STACK = 8000
"""How many characters of a stack the history keeps."""
MOST_PROCESSES = 200
MOST_OPEN = 50
"""How many descriptors of one process are named."""


class OpenDescriptor(FrozenModel):
    """A file or a socket that a process has open."""

    number: int
    name: Untrusted
    """The path or the address, as the program passed it; empty for a socket without one."""
    socket: bool = False
    detail: str = ""
    """Of a socket: what kind."""


class SnapshotProcess(FrozenModel):
    """One process of the sandbox."""

    pid: int
    parent: int = 0
    """The process that started it; 0: the sandbox's supervisor."""
    program: Untrusted
    command: Untrusted = Untrusted("")
    folder: Untrusted = Untrusted("")
    """Its current folder; empty where that is not known."""
    threads: int = 1
    helper: bool = False
    """Whether the engine started it, beside the program."""
    open: tuple[OpenDescriptor, ...] = ()
    not_named: int = 0
    """How many more descriptors it has open."""

    @property
    def bounded(self) -> SnapshotProcess:
        """The process with as many descriptors as the history keeps."""
        left_out = len(self.open[MOST_RECORDED:])
        return self._with(open=self.open[:MOST_RECORDED], not_named=self.not_named + left_out)


class KernelSnapshot(FrozenModel):
    """What the kernel of a sandbox told so far, reduced to what is the case now."""

    processes: tuple[SnapshotProcess, ...] = ()
    not_listed: int = 0
    """How many more processes there are."""
    last: tuple[ObservedEffect, ...] = ()
    """The last effects, the newest last."""
    written: tuple[ObservedEffect, ...] = ()
    """The files that it wrote, changed or deleted, without what every program does."""

    def at(self, start: float) -> KernelSnapshot:
        """Return it with times that count from `start` instead of 1970."""
        return self._with(
            last=tuple(one.at(start) for one in self.last),
            written=tuple(one.at(start) for one in self.written),
        )

    @property
    def bounded(self) -> KernelSnapshot:
        """What the history keeps: the first processes and written files, and the last effects."""
        left_out = len(self.processes[MOST_RECORDED:])
        return self._with(
            processes=tuple(one.bounded for one in self.processes[:MOST_RECORDED]),
            not_listed=self.not_listed + left_out,
            last=self.last[-MOST_RECORDED:],
            written=self.written[:MOST_RECORDED],
        )


class RunSnapshot(FrozenModel):
    """A run that goes on or is paused, at one moment."""

    at: float
    """Seconds that the program ran, pauses left out."""
    paused: bool
    kernel: KernelSnapshot | None = None
    """What gVisor's kernel told."""
    unobserved: str = ""
    """Why that is missing."""
    usage: Meters | None = None
    """The last sample."""
    output: int = 0
    """Bytes that it wrote to standard output and standard error."""
    stack: Untrusted = Untrusted("")
    """Of Python: where the program was when it was last asked. The guest's own word."""
    stack_at: float = 0.0
    """When that was: seconds after the code went in."""

    @property
    def bounded(self) -> RunSnapshot:
        """What the history keeps of it."""
        kernel = self.kernel.bounded if self.kernel is not None else None
        return self._with(kernel=kernel, stack=Untrusted(self.stack.text[:MOST_RECORDED_STACK]))
