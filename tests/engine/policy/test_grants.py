"""What a grant may hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models import Capabilities, Limits
from engine.policy import beyond
from engine.settings import PolicySettings
from engine.text import Untrusted

CEILING = PolicySettings().ceiling
ASKED = Capabilities(domains=(Untrusted("example.org"),), files=(Untrusted("a.csv"),))


@pytest.mark.parametrize(
    "given_",
    [
        ASKED.model_copy(update={"domains": (Untrusted("evil.example"),)}),
        ASKED.model_copy(update={"files": (Untrusted("a.csv"), Untrusted("b.csv"))}),
        ASKED.model_copy(update={"secrets": (Untrusted("token"),)}),
        ASKED.model_copy(update={"session": True}),
        ASKED.model_copy(update={"limits": Limits(memory_mb=513)}),
        ASKED.model_copy(update={"limits": Limits(seconds=31)}),
    ],
)
def test_more_than_was_asked_is_named(given_: Capabilities) -> None:
    """Anything that nobody asked for is beyond."""
    assert beyond(given_, ASKED, CEILING)


def test_less_than_was_asked_is_within() -> None:
    """A reviewer may take away and lower."""
    less = Capabilities(limits=Limits(memory_mb=64, cpus=0.1, seconds=1))
    assert () == beyond(less, ASKED, CEILING)


@given(st.integers(4097, 10**9))
def test_nothing_is_over_the_ceiling(memory_mb: int) -> None:
    """Asking for more than the ceiling does not make it grantable."""
    asked = Capabilities(limits=Limits(memory_mb=memory_mb))
    assert beyond(asked, asked, CEILING)
