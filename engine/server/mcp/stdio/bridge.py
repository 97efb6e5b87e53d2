"""Hands messages between standard input and output and the engine.

`initialize` is answered here and at once; everything else by the engine, which is started where none runs.
When the engine goes away and comes back, it is asked again what it had not answered.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from engine.common.errors import Problem
from engine.common.text import visible
from engine.server.mcp.stdio.handshake import answer, error, initialized, line_of
from engine.server.mcp.stdio.link import Link
from engine.server.mcp.stdio.start import ensure_engine, listens

LIST_SECONDS = 2.0
"""How long the list of tools waits for the engine before it is made here."""
RETRY_SECONDS = 0.2
PARSE_ERROR, INTERNAL_ERROR = -32700, -32603
INITIALIZE, INITIALIZED, LIST, CALL = "initialize", "notifications/initialized", "tools/list", "tools/call"
CANCELLED = "notifications/cancelled"


class StdioBridge:
    """The messages of one agent. One thread reads the agent, another one the engine."""

    def __init__(self, link: Link, output: BinaryIO, listed: Callable[[], list[dict[str, Any]]]) -> None:
        self._link = link
        self._listed = listed
        self._output = output
        self._writing = threading.Lock()
        self._turn = threading.Condition()
        self._handshake: dict[str, bytes] = {}
        self._waiting: dict[str, bytes] = {}
        self._connected = threading.Event()
        self._asked_for = self._lost = False

    def run(self, source: BinaryIO) -> None:
        """Serve the agent until its input ends."""
        threading.Thread(target=self._follow_engine, daemon=True).start()
        for line in source:
            if line.strip():
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
            method, id = message.get("method"), message.get("id")
        except (ValueError, AttributeError, RecursionError):
            self._write(error(None, PARSE_ERROR, "this line is no message of MCP"))
            return
        if method == INITIALIZE and id is not None:
            self._write(initialized(message))
        if method in {INITIALIZE, INITIALIZED}:
            self._handshake[method] = line
        if method == LIST and INITIALIZE in self._handshake and not self._connected.wait(LIST_SECONDS):
            self._write(answer(id, {"tools": self._listed()}))
            return
        self._forward(message, line)

    def _forward(self, message: dict[str, Any], line: bytes) -> None:
        """Send a message, or keep a request until there is an engine."""
        method, id = message.get("method"), message.get("id")
        with self._turn:
            if method == CANCELLED:
                self._waiting.pop(_key((message.get("params") or {}).get("requestId")), None)
            elif method is not None and id is not None and method != INITIALIZE:
                self._waiting[_key(id)] = line
            self._asked_for = True
            self._turn.notify()
            if self._connected.is_set():
                with contextlib.suppress(OSError):
                    self._post(line)

    def _post(self, line: bytes) -> None:
        try:
            self._link.post(line)
        except Problem as problem:
            self._refuse(problem)

    def _follow_engine(self) -> None:
        while True:
            with self._turn:
                wanted = self._turn.wait_for(lambda: self._asked_for, RETRY_SECONDS)
            if wanted or (self._lost and listens()):
                self._follow_safely()

    def _follow_safely(self) -> None:
        """Follow the engine; where it refuses, tell those that wait. One that was stopped stays stopped."""
        try:
            self._follow_once()
        except Problem as problem:
            with self._turn:
                self._refuse(problem)
                self._asked_for = False
        except OSError:
            time.sleep(RETRY_SECONDS)

    def _follow_once(self) -> None:
        if self._link.is_local:
            ensure_engine()
        with self._link.open() as response:
            with self._turn:
                for line in [*self._handshake.values(), *self._waiting.values()]:
                    self._link.post(line)
                self._connected.set()
            try:
                for line in self._link.lines(response):
                    self._pass_on(line)
            finally:
                self._end()

    def _end(self) -> None:
        with self._turn:
            self._connected.clear()
            self._asked_for, self._lost = bool(self._waiting), self._link.is_local

    def _pass_on(self, line: bytes) -> None:
        """Write what the engine says, but for its answer to `initialize`, which was given here."""
        message = json.loads(line)
        if "method" not in message:
            key = _key(message.get("id"))
            asked = self._handshake.get(INITIALIZE)
            if asked and key == _key(json.loads(asked).get("id")) and key not in self._waiting:
                return
            with self._turn:
                self._waiting.pop(key, None)
        self._put(line)

    def _refuse(self, problem: Problem) -> None:
        """Answer everything that waits with what is wrong: a tool's call with an error that a model reads."""
        words = visible(str(problem))
        waiting, self._waiting = self._waiting, {}
        for line in waiting.values():
            message = json.loads(line)
            said = {"content": [{"type": "text", "text": words}], "isError": True, "resultType": "complete"}
            called = message["method"] == CALL
            self._write(
                answer(message["id"], said) if called else error(message["id"], INTERNAL_ERROR, words)
            )

    def _write(self, message: dict[str, Any]) -> None:
        self._put(line_of(message))

    def _put(self, line: bytes) -> None:
        with self._writing:
            self._output.write(line)
            self._output.flush()


def serve(link: Link, listed: Callable[[], list[dict[str, Any]]]) -> None:
    """Serve the agent on standard input and output; `listed` makes the tools where no engine answers."""
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        StdioBridge(link, sys.stdout.buffer, listed).run(sys.stdin.buffer)


def _key(id: object) -> str:
    return json.dumps(id)
