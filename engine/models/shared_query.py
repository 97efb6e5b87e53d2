"""Queries that responders share: a name, the query, and who shared it."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from engine.common.text import Untrusted
from engine.models.base import FrozenModel

QUERY_NAME = r"^[a-z0-9][a-z0-9._-]{0,39}$"
LONGEST_QUERY = 1000


class SharedQuery(FrozenModel):
    """A query that everybody who may read the history sees, under a name."""

    name: str
    query: Untrusted
    by: Untrusted
    at: datetime


class NewSharedQuery(FrozenModel):
    """A query to share. One of the same name takes the place of the earlier one."""

    name: str = Field(pattern=QUERY_NAME)
    query: str = Field(min_length=1, max_length=LONGEST_QUERY)
