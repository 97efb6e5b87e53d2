"""What a grant may hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models import Limits, Package, Permissions
from engine.policy import excess
from engine.policy.grants import clamp
from engine.settings import PolicySettings

CEILING = PolicySettings().ceiling
ASKED = Permissions(domains=(Untrusted("example.org"),), files=(Untrusted("a.csv"),))


@pytest.mark.parametrize(
    "given_",
    [
        ASKED.model_copy(update={"domains": (Untrusted("evil.example"),)}),
        ASKED.model_copy(update={"files": (Untrusted("a.csv"), Untrusted("b.csv"))}),
        ASKED.model_copy(update={"secrets": (Untrusted("token"),)}),
        ASKED.model_copy(update={"packages": (Package(name=Untrusted("six"), version=Untrusted("1")),)}),
        ASKED.model_copy(update={"builds": (Untrusted("six"),)}),
        ASKED.model_copy(update={"session": True}),
        ASKED.model_copy(update={"limits": Limits(memory_mb=513)}),
        ASKED.model_copy(update={"limits": Limits(seconds=31)}),
    ],
)
def test_more_than_was_asked_is_named(given_: Permissions) -> None:
    """Anything that nobody asked for is beyond."""
    assert excess(given_, ASKED, CEILING)


def test_less_than_was_asked_is_within() -> None:
    """A reviewer may take away and lower."""
    less = Permissions(limits=Limits(memory_mb=64, cpus=0.1, seconds=1))
    assert () == excess(less, ASKED, CEILING)


@given(st.integers(4097, 10**9))
def test_nothing_is_over_the_ceiling(memory_mb: int) -> None:
    """Asking for more than the ceiling does not make it grantable."""
    asked = Permissions(limits=Limits(memory_mb=memory_mb))
    assert excess(asked, asked, CEILING)


names = st.sampled_from([Untrusted(name) for name in ("a", "b", "c")])
packages = st.builds(Package, name=names, version=names)
limits = st.builds(
    Limits,
    memory_mb=st.integers(64, 10**6),
    cpus=st.floats(0.1, 64),
    seconds=st.floats(0.1, 10**6),
    disk_mb=st.integers(1, 10**6),
    output_kb=st.integers(1, 10**6),
    processes=st.integers(1, 10**6),
)
permissions = st.builds(
    Permissions,
    domains=st.lists(names, max_size=3).map(tuple),
    packages=st.lists(packages, max_size=2).map(tuple),
    files=st.lists(names, max_size=3).map(tuple),
    secrets=st.lists(names, max_size=3).map(tuple),
    builds=st.lists(names, max_size=3).map(tuple),
    limits=limits,
    session=st.booleans(),
)


@given(permissions, permissions, limits)
def test_what_is_within_is_never_beyond(given_: Permissions, asked: Permissions, ceiling: Limits) -> None:
    """Whatever is wished for, what lies within is a subset of the request under the ceiling."""
    assert () == excess(clamp(given_, asked, ceiling), asked, ceiling)


@given(permissions, permissions, limits)
def test_what_is_not_beyond_is_given_whole(given_: Permissions, asked: Permissions, ceiling: Limits) -> None:
    """Nothing is taken from a grant that is within."""
    if not excess(given_, asked, ceiling):
        assert given_ == clamp(given_, asked, ceiling)


@given(permissions, permissions, limits)
def test_a_session_is_given_only_where_both_want_it(
    given_: Permissions, asked: Permissions, ceiling: Limits
) -> None:
    """A session that was requested and is given is kept, and no other."""
    assert (given_.session and asked.session) is clamp(given_, asked, ceiling).session


@given(permissions, limits)
def test_more_of_anything_is_beyond(asked: Permissions, ceiling: Limits) -> None:
    """Adding a name that nobody asked for is always seen."""
    for kind in ("domains", "files", "secrets", "builds"):
        more = asked.model_copy(update={kind: (*getattr(asked, kind), Untrusted("new"))})
        assert excess(more, asked, ceiling)
