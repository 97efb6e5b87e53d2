"""The log of the engine: one line for each event, as text or as JSON, on standard error.

A line holds an event's name and fields that this code chose. Code, output, secrets, environments and request
bodies never enter it, nor the messages of unexpected exceptions: those may quote their input.
"""

from __future__ import annotations

import json
import logging
import secrets
import sys
import traceback
from datetime import UTC, datetime
from typing import Literal

from engine.common.text import Untrusted, visible

LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
Value = str | int | float | bool | Untrusted | None

MAX_VALUE = 500
MAX_FRAMES = 12
_LOGGER = logging.getLogger("pratique")


def configure(log_format: LogFormat = "text", level: LogLevel = "info") -> None:
    """Send every log record of this process, libraries included, to standard error in one format."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    _LOGGER.setLevel(level.upper())


def info(event: str, **fields: Value) -> None:
    """Log what happened as expected."""
    _log(logging.INFO, event, fields)


def warning(event: str, **fields: Value) -> None:
    """Log what an operator may have to act on."""
    _log(logging.WARNING, event, fields)


def internal_error(error: BaseException, where: str) -> str:
    """Log an unexpected exception, without its message, and return the id by which it is found in the log."""
    correlation_id = secrets.token_hex(4)
    fields: dict[str, Value] = {"correlation_id": correlation_id, "where": where, **_described(error)}
    _log(logging.ERROR, "internal.error", fields)
    return correlation_id


class TextFormatter(logging.Formatter):
    """`2026-11-22T16:00:00.000Z INFO engine.started pid=7 socket=/run/…`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        fields = " ".join(f"{name}={_quoted(value)}" for name, value in _fields(record).items())
        return f"{_stamp(record)} {record.levelname} {_event(record)} {fields}".rstrip()


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time`, `level`, `event`, and the event's fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        head = {"time": _stamp(record), "level": record.levelname.lower(), "event": _event(record)}
        return json.dumps({**_fields(record), **head})


def _log(level: int, event: str, fields: dict[str, Value]) -> None:
    _LOGGER.log(level, event, extra={"fields": {name: _clean(value) for name, value in fields.items()}})


def _clean(value: Value) -> Value:
    """Return a value that stays on its line and moves no cursor."""
    return visible(value)[:MAX_VALUE] if isinstance(value, str | Untrusted) else value


def _event(record: logging.LogRecord) -> str:
    return record.msg if hasattr(record, "fields") else f"library.{record.name}"


def _fields(record: logging.LogRecord) -> dict[str, Value]:
    if hasattr(record, "fields"):
        return dict(record.fields)
    error = record.exc_info[1] if record.exc_info else None
    described = _described(error) if error else {}
    return {"message": _clean(str(record.msg)), **described}


def _described(error: BaseException) -> dict[str, Value]:
    """Return the type and the stack of an exception; its message may quote what must not be logged."""
    frames = traceback.extract_tb(error.__traceback__)[-MAX_FRAMES:]
    stack = " > ".join(f"{_module(frame.filename)}:{frame.lineno}" for frame in frames)
    return {"error": type(error).__qualname__, "stack": stack}


def _module(path: str) -> str:
    return "/".join(path.split("/")[-2:])


def _quoted(value: Value) -> str:
    text = str(value)
    return text if text and not set(text) & set(' ="') else json.dumps(text, ensure_ascii=False)


def _stamp(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
