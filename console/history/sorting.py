"""The order of the History table: by any column, one key after the other."""

from __future__ import annotations

ORDERS = {
    "": "newest first",
    "submitted": "oldest first",
    "-duration": "longest run first",
    "-memory": "most memory first",
    "-waited": "longest wait first",
    "-violations": "most violations first",
    "-lines": "longest code first",
    "-exit": "highest exit code first",
    "risk": "by risk",
    "requester": "by requester",
    "reviewer": "by reviewer",
    "status": "by status",
    "lang": "by language",
    "kill": "by kill reason",
}
"""The orders in which the key goes through them, and their words."""


def following(sort: str) -> str:
    """Return the order after this one; after the last, the first."""
    listed = list(ORDERS)
    return listed[(listed.index(sort) + 1) % len(listed)]
