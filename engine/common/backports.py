"""What the models take from the standard library and Python 3.10, on which the light client runs, lacks."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    from enum import StrEnum
else:
    from enum import Enum

    class StrEnum(str, Enum):
        """Members are their own text."""

        __str__ = str.__str__

        def __format__(self, format_spec: str) -> str:
            """Return the text, formatted as text is."""
            return str.__format__(self, format_spec)


__all__ = ["StrEnum"]
