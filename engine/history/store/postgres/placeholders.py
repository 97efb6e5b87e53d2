"""Translates the placeholders of the history's SQL, `?` and `:name`, to those of psycopg."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

_NAMED = re.compile(r"(?<![:\w]):([a-z_]+)")
_ESCAPE, _NUL = "\x01", "\x00"


@lru_cache(maxsize=1000)
def translated(sql: str) -> bytes:
    """Return a statement for psycopg. A question mark is always a placeholder."""
    return _NAMED.sub(r"%(\1)s", sql.replace("%", "%%").replace("?", "%s")).encode()


def stored(values: Sequence[Any] | Mapping[str, Any]) -> Sequence[Any] | Mapping[str, Any]:
    """Return values as they are stored: texts there have no NUL, which is written as two characters."""
    if isinstance(values, Mapping):
        return {name: _stored(value) for name, value in values.items()}
    return tuple(map(_stored, values))


def read(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a row that `stored` has written as it was given."""
    return tuple(map(_read, row))


def _stored(value: Any) -> Any:
    if isinstance(value, str) and (_NUL in value or _ESCAPE in value):
        return value.replace(_ESCAPE, f"{_ESCAPE}1").replace(_NUL, f"{_ESCAPE}0")
    return value


def _read(value: Any) -> Any:
    if type(value) is str and _ESCAPE in value:
        return value.replace(f"{_ESCAPE}0", _NUL).replace(f"{_ESCAPE}1", _ESCAPE)
    return value
