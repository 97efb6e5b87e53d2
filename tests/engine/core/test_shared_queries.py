"""Shared queries are events: all responders have the same ones, also after a restart."""

from __future__ import annotations

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.history.search.query.errors import QueryError
from engine.models import Principal, Role
from engine.models.shared_query import NewSharedQuery
from tests.engine.core.conftest import EngineMaker

REVIEWER = Principal(name=Untrusted("alice"), roles=frozenset({Role.REVIEWER}))
AUDITOR = Principal(name=Untrusted("eve"), roles=frozenset({Role.AUDITOR}))


async def test_a_shared_query_is_there_after_a_restart(engine_with: EngineMaker, no_docker: None) -> None:
    """The last query of a name holds; one that was removed is gone; who shared it is known."""
    async with engine_with() as engine:
        for name, query in (("keys", "risk:low"), ("keys", "secret:*"), ("gone", "risk:high")):
            await engine.shared_queries.share(NewSharedQuery(name=name, query=query), REVIEWER)
        await engine.shared_queries.remove("gone", REVIEWER)
    async with engine_with() as engine:
        (kept,) = engine.shared_queries.listed()
    assert ("keys", "secret:*", "alice") == (kept.name, kept.query.text, kept.by.text)


async def test_who_only_audits_shares_nothing(engine_with: EngineMaker, no_docker: None) -> None:
    """An auditor changes nothing; a query that is none is not shared; what is not there is not removed."""
    async with engine_with() as engine:
        shared = engine.shared_queries
        with pytest.raises(Problem):
            await shared.share(NewSharedQuery(name="keys", query="risk:low"), AUDITOR)
        with pytest.raises(QueryError):
            await shared.share(NewSharedQuery(name="keys", query="risc:low"), REVIEWER)
        with pytest.raises(Problem):
            await shared.remove("keys", REVIEWER)
        assert () == shared.listed()
