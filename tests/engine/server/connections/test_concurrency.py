"""How many requests one token has at the same time."""

from __future__ import annotations

import contextlib

import pytest

from engine.common.errors import Problem
from engine.server.http.middleware.concurrency import SHARE, ConcurrencyLimit

LIMIT = 20


def test_one_token_leaves_places_for_others() -> None:
    """Beyond its share a token is refused with 429; another token, and the same one later, is not."""
    limit = ConcurrencyLimit(LIMIT)
    with contextlib.ExitStack() as stack:
        for _ in range(LIMIT // SHARE):
            stack.enter_context(limit.share("t-1"))
        with pytest.raises(Problem) as refused, limit.share("t-1"):
            pytest.fail("one too many")
        assert 429 == refused.value.status
        with limit.share("t-2"):
            pass
    with limit.share("t-1"):
        pass


def test_the_owner_of_the_socket_is_not_a_token() -> None:
    """Requests over the socket share the limit of the endpoint alone."""
    limit = ConcurrencyLimit(LIMIT)
    with contextlib.ExitStack() as stack:
        for _ in range(LIMIT):
            stack.enter_context(limit.share(""))


def test_a_small_limit_lets_every_token_in() -> None:
    """Each token has one place at least."""
    with ConcurrencyLimit(1).share("t-1"):
        pass
