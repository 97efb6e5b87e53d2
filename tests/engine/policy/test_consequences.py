"""What comes of giving less than was asked."""

from __future__ import annotations

import pytest

from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Certainty,
    Consequence,
    EffectKind,
    Limits,
    Package,
    Permissions,
    PredictedEffect,
)
from engine.policy.consequences import consequences


def needs(need: EffectKind, value: str, line: int, certainty: Certainty = Certainty.EXACT) -> PredictedEffect:
    """Return a prediction."""
    return PredictedEffect(kind=need, value=Untrusted(value), certainty=certainty, lines=(line,))


ANALYSIS = Analysis(
    effects=(
        needs(EffectKind.HOST, "api.example.org", 3),
        needs(EffectKind.URL, "https://API.example.org:8443/v1", 5),
        needs(EffectKind.URL, "https://other.example/v1", 6),
        needs(EffectKind.URL, "http://[broken", 7),
        needs(EffectKind.MODULE, "numpy.linalg", 1),
        needs(EffectKind.PACKAGE, "scikit-learn", 2),
        needs(EffectKind.READ, "data.csv", 8),
        needs(EffectKind.READ, "/workspace/data.csv", 9),
        needs(EffectKind.READ, "/etc/passwd", 10),
        needs(EffectKind.ENVIRONMENT, "TOKEN", 11),
    )
)
ASKED = Permissions(
    domains=(Untrusted("api.example.org"), Untrusted("unused.example")),
    packages=tuple(
        Package(name=Untrusted(name), version=Untrusted("1")) for name in ("numpy", "scikit_learn")
    ),
    files=(Untrusted("data.csv"), Untrusted("unused.csv")),
    secrets=(Untrusted("TOKEN"),),
    limits=Limits(memory_mb=1024),
    session=True,
)


@pytest.mark.parametrize(
    ("permission", "lines", "given"),
    [
        ("domain api.example.org", (3, 5), {"domains": ASKED.domains[1:]}),
        ("domain unused.example", (), {"domains": ASKED.domains[:1]}),
        ("package numpy", (1,), {"packages": ASKED.packages[1:]}),
        ("package scikit_learn", (2,), {"packages": ASKED.packages[:1]}),
        ("file data.csv", (8, 9), {"files": ASKED.files[1:]}),
        ("file unused.csv", (), {"files": ASKED.files[:1]}),
        ("secret TOKEN", (11,), {"secrets": ()}),
    ],
)
def test_the_lines_that_fail_are_named(
    permission: str, lines: tuple[int, ...], given: dict[str, object]
) -> None:
    """Taking one capability away names the lines that want it, and no others."""
    expected = Consequence(permission=Untrusted(permission), lines=lines)
    assert (expected,) == consequences(ANALYSIS, ASKED, ASKED.model_copy(update=given))


@pytest.mark.parametrize(
    ("domain", "lines"),
    [
        ("*.example.org", (3, 5)),
        ("*.org", (3, 5)),
        ("example.org", ()),
        ("*.other.example", ()),
        ("*.b.example", ()),
    ],
)
def test_a_domain_with_a_wildcard_is_every_host_below_it(domain: str, lines: tuple[int, ...]) -> None:
    """And not the domain itself, nor what only ends like it."""
    asked = Permissions(domains=(Untrusted(domain),))
    (found,) = consequences(ANALYSIS, asked, Permissions())
    assert lines == found.lines


def test_a_build_fails_where_it_is_imported() -> None:
    """Taking a package that is built away names the lines that import it."""
    asked = Permissions(builds=(Untrusted("numpy"),))
    expected = Consequence(permission=Untrusted("build numpy"), lines=(1,))
    assert (expected,) == consequences(ANALYSIS, asked, Permissions())


def test_only_what_a_permission_is_about_makes_it_uncertain() -> None:
    """An unknown file says nothing about a host."""
    unknown = Analysis(effects=(needs(EffectKind.READ, "", 4, Certainty.UNKNOWN),))
    (found,) = consequences(unknown, Permissions(domains=(Untrusted("a.example"),)), Permissions())
    assert ((), True) == (found.lines, found.certain)


def test_nothing_taken_has_no_consequence() -> None:
    """Giving what was asked for makes nothing fail."""
    assert () == consequences(ANALYSIS, ASKED, ASKED)


def test_what_is_not_known_exactly_may_fail() -> None:
    """A host that the analysis does not know may be the one taken away."""
    unknown = Analysis(effects=(needs(EffectKind.HOST, "", 4, Certainty.UNKNOWN),))
    (found,) = consequences(unknown, ASKED, ASKED.model_copy(update={"domains": ASKED.domains[:1]}))
    assert ((4,), False) == (found.lines, found.certain)


def test_lower_limits_and_no_session_are_told() -> None:
    """What cannot be tied to lines is told without them."""
    less = ASKED.model_copy(update={"limits": Limits(memory_mb=512), "session": False})
    told = [(one.permission.text, one.certain) for one in consequences(ANALYSIS, ASKED, less)]
    assert [("memory_mb 512 in place of 1024", False), ("session", False)] == told
