"""Everything that one sandbox reports, reduced to effects as it arrives. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from engine.models.observed import ObservedEffect
from engine.sandbox.observed import calls, files, programs, sockets
from engine.sandbox.observed.effect_table import EffectTable
from engine.sandbox.observed.points import CHDIR, COUNTED_CALLS, EXECUTIONS, FCHDIR, READABLE_CALLS
from engine.sandbox.observed.processes import SUPERVISOR, SUPERVISOR_USERS, Process, ProcessTable
from engine.sandbox.observed.wire import Packet, PacketKind, decode

_KILL, _EVERYBODY, _KILL_SIGNAL = 62, 0xFFFFFFFF, 9
_NAMED: dict[int, str] = {
    PacketKind.OPEN: "open",
    PacketKind.EXECVE_CALL: "execve",
    PacketKind.EXECVE: "executed",
    PacketKind.CHDIR: "chdir",
    PacketKind.CHROOT: "chroot",
}
"""Which calls the events with names in them belong to."""


class EffectLedger:
    """The effects of what runs in one sandbox, and how much of it was seen."""

    def __init__(self) -> None:
        self.processes = ProcessTable()
        self.effects = EffectTable()
        self.events = 0
        self.malformed = 0
        self.dropped_before = 0
        self.dropped_in_all = 0
        self.ended = False
        """Whether the supervisor was seen to end every other process, after which nothing happens."""
        self._named: Counter[str] = Counter()
        self._called: Counter[str] = Counter()

    def begin(self, *, helpers: bool = True) -> None:
        """Forget the effects so far, but not the processes: code is about to be sent.

        `helpers`: whether the engine has started processes beside the program, or may.
        """
        self.effects = EffectTable()
        self.processes.begin(helpers=helpers)
        self.events = self.malformed = 0
        self.dropped_before = self.dropped_in_all
        self.ended = False
        self._named.clear()
        self._called.clear()

    @property
    def dropped(self) -> int:
        """How many events the sandbox could not deliver since the code was sent."""
        return self.dropped_in_all - self.dropped_before

    @property
    def unreadable(self) -> int:
        """How many calls were made whose events, with names in them, never came."""
        return sum(max(0, count - self._named[name]) for name, count in self._called.items())

    def changes(self) -> Iterator[ObservedEffect]:
        """Yield the effects that are new or have changed since the last call."""
        return self.effects.changes()

    def take(self, data: bytes) -> None:
        """Take one packet."""
        packet = decode(data)
        if packet is None:
            self.malformed += 1
            return
        self.dropped_in_all = max(self.dropped_in_all, packet.dropped)
        if packet.message is None:
            self.malformed += 1
            return
        self._read(packet)

    def _read(self, packet: Packet) -> None:
        message = packet.message
        context = message.context
        if context.pid == SUPERVISOR and context.credentials.uid in SUPERVISOR_USERS:
            self._supervisor(packet)
            return
        process = self.processes.of(context.pid, context.credentials.uid)
        if process is None:
            return
        self.events += 1
        if packet.kind == PacketKind.RAW:
            self._raw(message, process)
            return
        if (name := _NAMED.get(packet.kind)) is not None:
            self._named[name] += 1
        if (reader := _READERS.get(packet.kind)) is not None:
            reader(self.processes, self.effects, message, process)

    def _supervisor(self, packet: Packet) -> None:
        message = packet.message
        if packet.kind == PacketKind.CLONE and message.pid not in {0, SUPERVISOR}:
            self.processes.start_interpreter(message.pid)
        elif packet.kind == PacketKind.TASK_EXIT or _ends_everything(packet):
            self.ended = True

    def _raw(self, message: Any, process: Process) -> None:
        number = message.sysno
        if number in EXECUTIONS and message.HasField("exit"):
            self._executed(message, process)
        elif number in READABLE_CALLS:
            self._called[READABLE_CALLS[number]] += 1
            if number in {CHDIR, FCHDIR}:
                files.leave(process)
        elif number in COUNTED_CALLS and message.HasField("exit"):
            calls.count(self.processes, self.effects, message, process)

    def _executed(self, message: Any, process: Process) -> None:
        """Take whether a program was executed: for each there is an event with the kernel's name for it."""
        programs.attempted(self.effects, message, process)
        self._called["executed"] += not message.exit.errno


def _ends_everything(packet: Packet) -> bool:
    """Return whether the supervisor kills every other process: it does so once, at the end of a run."""
    message = packet.message
    if packet.kind != PacketKind.RAW or message.sysno != _KILL or not message.HasField("exit"):
        return False
    return (message.arg0 & _EVERYBODY, message.arg1) == (_EVERYBODY, _KILL_SIGNAL)


_Reader = Callable[[ProcessTable, EffectTable, Any, Process], None]
_READERS: dict[int, _Reader] = {
    PacketKind.CLONE: programs.clone,
    PacketKind.EXECVE: programs.execve,
    PacketKind.EXECVE_CALL: programs.execve_call,
    PacketKind.TASK_EXIT: programs.task_exit,
    PacketKind.OPEN: files.opened,
    PacketKind.CLOSE: files.closed,
    PacketKind.DUP: files.duplicated,
    PacketKind.CHDIR: files.chdir,
    PacketKind.CHROOT: files.chroot,
    PacketKind.SOCKET: sockets.made,
    PacketKind.CONNECT: sockets.connected,
    PacketKind.BIND: sockets.bound,
    PacketKind.ACCEPT: sockets.accepted,
    PacketKind.SETID: programs.setid,
    PacketKind.SETRESID: programs.setid,
}
