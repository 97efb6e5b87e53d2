"""SQL that deletes more than the rows it names."""

from __future__ import annotations

import re

_EVERYTHING = re.compile(
    r"(?i)\bdrop\s+(?:database|schema|owned|keyspace|user|role)\b|(?:^|;)\s*drop\s+table\s+[\"`\[]?\ufffc"
)
"""Also each table of a loop, whose names are known only at run time."""
_ROWS = re.compile(
    r"(?i)(?:^|;)\s*(?:drop\s+table\s+(?!if\s+exists)|truncate\b|delete\s+from\s+[\w.\"`\[\]]+\s*(?:;|$)"
    r"|update\s+\S+\s+set\s+(?:(?!\bwhere\b).)*(?:;|$)|alter\s+table\s+\S+\s+drop\b)"
)


def destroys_everything(text: str) -> bool:
    """Whether a statement drops a database, a schema or a user."""
    return _EVERYTHING.search(text) is not None


def destroys_rows(text: str) -> bool:
    """Whether a statement drops a table, or deletes or changes rows without a condition."""
    return _ROWS.search(text) is not None
