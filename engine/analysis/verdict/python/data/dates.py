"""Dates where both pandas and matplotlib are imported: nothing makes any.

matplotlib asks the first value of what it draws for its converter, and where that is one of dates, the object
that holds it for `tzinfo`: a `Series` with a date and, under this label, a text, gives the text, and dateutil
opens the file that it names.
"""

from __future__ import annotations

import re

from engine.analysis.python.word_lists import words

_LIBRARIES = frozenset({"pandas", "matplotlib"})
_MODULES = frozenset({"calendar", "datetime"})
_NAMES = frozenset(
    words(
        """numpy.datetime64 numpy.timedelta64 pandas.NaT pandas.Timedelta pandas.Timestamp
            pandas.date_range pandas.to_datetime pandas.to_timedelta"""
    )
)
"""A missing span of time is `NaT`, which is a date, too."""
_KEYWORD = "parse_dates"
_CODE = re.compile(r"(?:datetime|timedelta)64.*")
REASON = "makes dates beside pandas and matplotlib, which takes a text for their time zone"


def are_drawn(libraries: frozenset[str]) -> bool:
    """Return whether a program that imports these libraries could hand dates of pandas to matplotlib."""
    return libraries >= _LIBRARIES


def makes(path: str) -> bool:
    """Return whether a name of a library makes dates."""
    return path in _NAMES or path.partition(".")[0] in _MODULES


def is_type_of(value: object) -> bool:
    """Return whether a value that is spelled out is a type of dates."""
    return isinstance(value, str) and _CODE.fullmatch(value) is not None


def is_keyword(name: str | None) -> bool:
    """Return whether an argument of this name has dates read from a table."""
    return name == _KEYWORD
