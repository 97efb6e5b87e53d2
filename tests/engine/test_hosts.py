"""Host patterns: what an allowlist may contain, and which hosts each pattern matches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.hosts import matches, matches_any, overlap, pattern_error

LABELS = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
NAMES = st.lists(LABELS, min_size=2, max_size=4).map(".".join)


@given(NAMES, st.lists(LABELS, min_size=1, max_size=3).map(".".join))
def test_a_wildcard_matches_every_name_below_it_and_nothing_else(name: str, below: str) -> None:
    """`*.name` matches `x.name` and `y.x.name`, not `name` itself nor a name that only ends alike."""
    assert matches(f"*.{name}", f"{below}.{name}")
    assert not matches(f"*.{name}", name)
    assert not matches(f"*.{name}", f"{below}{name}")
    assert not matches(f"*.{name}", f".{name}")


@given(NAMES, NAMES)
def test_a_full_name_matches_itself_alone(name: str, other: str) -> None:
    """A pattern without `*.` matches exactly one host."""
    assert (name == other) is matches(name, other)
    assert matches(name, name)


@given(st.lists(NAMES, max_size=4), NAMES)
def test_an_allowlist_matches_what_one_of_its_patterns_matches(patterns: list[str], host: str) -> None:
    """An empty allowlist matches nothing."""
    assert any(matches(pattern, host) for pattern in patterns) is matches_any(patterns, host)
    assert not matches_any((), host)


@pytest.mark.parametrize(
    ("expected", "one", "other"),
    [
        (True, "a.example", "a.example"),
        (True, "a.example", "*.a.example"),
        (True, "b.a.example", "*.a.example"),
        (True, "*.b.a.example", "*.a.example"),
        (False, "b.a.example", "a.example"),
        (False, "*.b.a.example", "a.example"),
        (False, "nota.example", "*.a.example"),
        (False, "*.b.example", "*.a.example"),
    ],
)
def test_patterns_overlap_where_one_host_may_fit_both(expected: bool, one: str, other: str) -> None:
    """Whichever comes first; a wildcard counts as naming the name after it, too."""
    assert expected is overlap(one, other)
    assert expected is overlap(other, one)


@given(NAMES.filter(lambda name: pattern_error(name) is None))
def test_what_is_allowed_by_name_is_allowed_below_it(name: str) -> None:
    """Where a full name is allowed, so is the wildcard of what lies below it."""
    assert pattern_error(f"*.{name}") is None


@pytest.mark.parametrize(
    "pattern",
    ["*", "*.*", "*.com", "com", "127.0.0.1", "0x7f.1", "::1", "db.internal", "https://a.example", "A.b"],
)
def test_wide_internal_and_numeric_names_are_refused(pattern: str) -> None:
    """Addresses in any notation, internal names and patterns that match too much have an error."""
    assert pattern_error(pattern) is not None


@pytest.mark.parametrize(
    ("said", "pattern"),
    [
        ("matches every host", "*"),
        ("matches every host", "*.*"),
        ("without scheme", "https://a.example"),
        ("without scheme", "a.example/path"),
        ("without scheme", "a.example:80"),
        ("without scheme", "me@a.example"),
        ("is an address", "127.0.0.1"),
        ("is an address", "0x7f.1"),
        ("is an internal name", "db.internal"),
        ("lower-case letters", "A.example"),
        ("lower-case letters", f"{'.'.join(['a' * 49] * 5)}.{'b' * 4}"),
        ("two parts", "com"),
        ("two parts", "*.com"),
    ],
)
def test_an_error_says_what_is_wrong(said: str, pattern: str) -> None:
    """Each kind of mistake has its own sentence, with the pattern in it."""
    error = pattern_error(pattern)
    assert error is not None
    assert said in error
    assert error.startswith(f"`{pattern}`")


@pytest.mark.parametrize("name", ["a.example", "b.a.example", f"{'.'.join(['a' * 49] * 5)}.{'b' * 3}"])
def test_a_name_of_two_parts_and_of_253_characters_is_allowed(name: str) -> None:
    """Two parts are enough, and the longest name that the DNS has is not too long."""
    assert pattern_error(name) is None
    assert len(name) in {9, 11, 253}
