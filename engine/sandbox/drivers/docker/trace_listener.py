"""The process that listens to the events of every sandbox of one engine, and reduces them to effects.

It is a process of its own so that a flood of events, or text that breaks something, stays out of the engine.
Commands come on standard input and answers leave on standard output, a JSON object in each line. It ends with
its input, and with the process that started it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import signal
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.sandbox.observed.ledger import EffectLedger
from engine.sandbox.observed.snapshot import kernel_snapshot
from engine.sandbox.observed.wire import HANDSHAKE, MOST_BYTES

_FLUSH_SECONDS = 0.2
_PACKETS_AT_ONCE = 2000
_EFFECTS_IN_LINE = 100
_PATIENCE_SECONDS = 0.3
"""How long the end of a run is waited for, once no events come."""
_MOST_FINISH_SECONDS = 15.0
"""How long what was sent before the end is read, on a machine that is busy."""
_BUSY_SECONDS = 1.0
"""How often the engine is told meanwhile that the listener is not hanging."""
_PR_SET_PDEATHSIG = 1
_COMMANDS = "commands"
_PRIORITY = -5
"""Above the guests: what they send faster than it is read is dropped in the end."""


@dataclass
class _Sandbox:
    """One sandbox that is listened to."""

    key: str
    server: socket.socket | None
    connection: socket.socket | None = None
    greeted: bool = False
    ledger: EffectLedger = field(default_factory=EffectLedger)
    beginning: bool = False
    helpers: bool = True
    """Whether the engine starts processes beside the program."""
    finishing: float = 0.0
    """When its end was asked for; 0: not yet."""
    told_busy: float = 0.0
    """When the engine was last told that the end is worked on."""
    ends: bool = False
    looking: float = 0.0
    """When a snapshot was asked for; 0: none is."""
    active: bool = False
    over: bool = False
    """Whether its kernel has closed the connection."""


class Listener:
    """Reads the events of all sandboxes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._selector = selectors.DefaultSelector()
        self._sandboxes: dict[str, _Sandbox] = {}
        self._flushed = 0.0
        self._buffer = b""
        self._packet = memoryview(bytearray(MOST_BYTES))
        """Where packets are received: a new buffer for each would take longer than all else."""
        self._open = True

    def run(self) -> None:
        """Serve until the input ends."""
        self._selector.register(sys.stdin.fileno(), selectors.EVENT_READ, _COMMANDS)
        self._say({"op": "ready"})
        while self._open:
            waiting = any(one.finishing or one.looking for one in self._sandboxes.values())
            for ready, _ in self._selector.select(0.02 if waiting else _FLUSH_SECONDS):
                if ready.data == _COMMANDS:
                    self._take_commands()
                else:
                    self._take_events(ready.data)
            self._turn()

    # --- commands

    def _take_commands(self) -> None:
        received = os.read(sys.stdin.fileno(), 65536)
        self._open = bool(received)
        *lines, self._buffer = (self._buffer + received).split(b"\n")
        for line in lines:
            command = json.loads(line)
            getattr(self, f"_do_{command['op']}")(command)

    def _do_ping(self, command: dict[str, Any]) -> None:
        self._say({"op": "pong", "key": command["key"]})

    def _do_open(self, command: dict[str, Any]) -> None:
        key = command["key"]
        server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        server.bind(str(self._folder / f"{key}.sock"))
        server.listen(1)
        server.setblocking(False)
        sandbox = self._sandboxes[key] = _Sandbox(key, server)
        self._selector.register(server, selectors.EVENT_READ, sandbox)
        self._say({"op": "opened", "key": key})

    def _do_begin(self, command: dict[str, Any]) -> None:
        if (sandbox := self._of(command, "began")) is not None:
            sandbox.beginning, sandbox.helpers = True, bool(command["helpers"])

    def _do_finish(self, command: dict[str, Any]) -> None:
        if (sandbox := self._of(command, "finished")) is not None:
            sandbox.finishing = sandbox.told_busy = time.monotonic()
            sandbox.ends = bool(command["ends"])

    def _do_look(self, command: dict[str, Any]) -> None:
        if (sandbox := self._of(command, "looked")) is not None:
            sandbox.looking = time.monotonic()

    def _do_close(self, command: dict[str, Any]) -> None:
        if (sandbox := self._sandboxes.pop(command["key"], None)) is not None:
            self._shut(sandbox)

    def _of(self, command: dict[str, Any], answer: str) -> _Sandbox | None:
        sandbox = self._sandboxes.get(command["key"])
        if sandbox is None:
            self._say({"op": answer, "key": command["key"], "lost": "the sandbox is not listened to"})
        return sandbox

    # --- events

    def _take_events(self, sandbox: _Sandbox) -> None:
        if sandbox.connection is None:
            self._accept(sandbox)
            return
        for _ in range(_PACKETS_AT_ONCE):
            try:
                size = sandbox.connection.recv_into(self._packet)
            except BlockingIOError:
                return
            except OSError:
                size = 0
            if not size:
                sandbox.over = True
                self._shut(sandbox)
                return
            self._take(sandbox, bytes(self._packet[:size]))

    def _take(self, sandbox: _Sandbox, packet: bytes) -> None:
        if sandbox.greeted:
            sandbox.ledger.take(packet)
            return
        sandbox.greeted = True
        assert sandbox.connection is not None  # noqa: S101  it came from there
        sandbox.connection.send(HANDSHAKE)
        self._say({"op": "attached", "key": sandbox.key})

    def _accept(self, sandbox: _Sandbox) -> None:
        """Accept the one connection of a sandbox; nothing else can connect after it."""
        assert sandbox.server is not None  # noqa: S101  it is registered
        try:
            sandbox.connection, _ = sandbox.server.accept()
        except OSError:
            return
        sandbox.connection.setblocking(False)
        self._close_server(sandbox)
        self._selector.register(sandbox.connection, selectors.EVENT_READ, sandbox)

    def _shut(self, sandbox: _Sandbox) -> None:
        self._close_server(sandbox)
        if sandbox.connection is not None and sandbox.connection.fileno() >= 0:
            self._selector.unregister(sandbox.connection)
            sandbox.connection.close()

    def _close_server(self, sandbox: _Sandbox) -> None:
        if sandbox.server is not None:
            self._selector.unregister(sandbox.server)
            sandbox.server.close()
            sandbox.server = None
            (self._folder / f"{sandbox.key}.sock").unlink(missing_ok=True)

    # --- what is told

    def _turn(self) -> None:
        due = time.monotonic() - self._flushed >= _FLUSH_SECONDS
        if due:
            self._flushed = time.monotonic()
        for sandbox in tuple(self._sandboxes.values()):
            if sandbox.beginning and self._is_dry(sandbox):
                self._begin(sandbox)
            if sandbox.looking and self._may_look(sandbox):
                self._look(sandbox)
            if sandbox.finishing and self._may_finish(sandbox):
                self._finish(sandbox)
            elif due and sandbox.active:
                self._tell(sandbox)

    def _is_dry(self, sandbox: _Sandbox) -> bool:
        """Return whether everything that was sent has been read."""
        if sandbox.over or sandbox.connection is None:
            return True
        try:
            return not sandbox.connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return True

    def _begin(self, sandbox: _Sandbox) -> None:
        sandbox.beginning, sandbox.active = False, True
        sandbox.ledger.begin(helpers=sandbox.helpers)
        lost = "" if sandbox.greeted and not sandbox.over else "the sandbox sends no events any more"
        self._say({"op": "began", "key": sandbox.key, "lost": lost})

    def _may_look(self, sandbox: _Sandbox) -> bool:
        """Return whether all that was sent is read; a sandbox that sends without end is not waited for."""
        return time.monotonic() - sandbox.looking > _PATIENCE_SECONDS or self._is_dry(sandbox)

    def _look(self, sandbox: _Sandbox) -> None:
        sandbox.looking = 0.0
        seen = kernel_snapshot(sandbox.ledger).model_dump(mode="json")
        self._say({"op": "looked", "key": sandbox.key, "seen": seen})

    def _may_finish(self, sandbox: _Sandbox) -> bool:
        passed = time.monotonic() - sandbox.finishing
        if passed > _MOST_FINISH_SECONDS:
            return True
        if not self._is_dry(sandbox):
            self._tell_busy(sandbox)
            return False
        expected = sandbox.ends and not sandbox.ledger.ended and not sandbox.over
        return not expected or passed > _PATIENCE_SECONDS

    def _tell_busy(self, sandbox: _Sandbox) -> None:
        if time.monotonic() - sandbox.told_busy > _BUSY_SECONDS:
            sandbox.told_busy = time.monotonic()
            self._say({"op": "busy", "key": sandbox.key})

    def _finish(self, sandbox: _Sandbox) -> None:
        self._tell(sandbox)
        ledger = sandbox.ledger
        reasons = []
        if not self._is_dry(sandbox):
            reasons.append("more events came than could be read in time")
        if sandbox.ends and not ledger.ended:
            reasons.append("the end of the sandbox was not observed")
        if ledger.malformed:
            reasons.append(f"{ledger.malformed} events could not be decoded")
        sandbox.finishing, sandbox.active = 0.0, False
        self._say(
            {
                "op": "finished",
                "key": sandbox.key,
                "reasons": reasons,
                "events": ledger.events,
                "dropped": ledger.dropped,
                "unreadable": ledger.unreadable,
                "omitted": ledger.effects.omitted,
                "counts": dict(ledger.effects.counts),
            }
        )

    def _tell(self, sandbox: _Sandbox) -> None:
        effects = [effect.model_dump(mode="json") for effect in sandbox.ledger.changes()]
        for start in range(0, len(effects), _EFFECTS_IN_LINE):
            part = effects[start : start + _EFFECTS_IN_LINE]
            self._say({"op": "effects", "key": sandbox.key, "effects": part})

    @staticmethod
    def _say(answer: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def main() -> None:
    """Listen, until the engine ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _PRIORITY)
    if os.getppid() != int(sys.argv[2]):
        return
    Listener(Path(sys.argv[1])).run()


if __name__ == "__main__":
    main()
