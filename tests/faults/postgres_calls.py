"""Connections and statements of a history in PostgreSQL, which fail on purpose."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterator
from types import FrameType
from typing import Any

import psycopg

from engine.history.store.postgres.link import ServerLink, end
from tests.faults.injection import ENGINE, Injector

MARK = "PostgreSQL"
_BETWEEN = ("/postgres/link.py", "/postgres/connection.py", "/postgres/errors.py")


@contextlib.contextmanager
def postgres_calls(injector: Injector) -> Iterator[None]:
    """Pass every connection and statement by an injector meanwhile."""
    connecting, waiting = ServerLink.__dict__.get("connect"), ServerLink.wait

    def connect(cls: type[ServerLink], *args: Any, **options: Any) -> Any:
        if injector.hit(f"{MARK} connection < {_wanted_by()}"):
            _fail(injector)
        return psycopg.Connection.connect.__func__(cls, *args, **options)  # type: ignore[attr-defined]

    def wait(self: ServerLink, gen: Generator[Any, Any, Any], *args: Any, **options: Any) -> Any:
        if injector.hit(f"{MARK} statement < {_wanted_by()}"):
            if injector.fault != "hang":
                end(self)
            _fail(injector)
        return waiting(self, gen, *args, **options)

    ServerLink.connect, ServerLink.wait = classmethod(connect), wait  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        ServerLink.wait = waiting  # type: ignore[method-assign]
        if connecting is None:
            del ServerLink.connect


def _fail(injector: Injector) -> None:
    if injector.fault == "hang":
        injector.wait()
    else:
        raise psycopg.OperationalError("the line to the server is cut on purpose")


def _wanted_by() -> str:
    """Return the function of the engine that wants something of the server."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith(ENGINE) and not path.endswith(_BETWEEN):
            return f"{path[len(ENGINE) + 1 :]}:{frame.f_code.co_name}"
        frame = frame.f_back
    return "nobody"
