"""Approving with less, on the command line."""

from __future__ import annotations

import pytest

from engine.cli.options.grant import reduced_grant
from engine.cli.output.formatting import consequence_line
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Consequence, Limits, Package, Permissions

ASKED = Permissions(
    domains=(Untrusted("a.example"), Untrusted("b.example")),
    packages=(Package(name=Untrusted("numpy"), version=Untrusted("2")),),
    files=(Untrusted("a:b.csv"),),
    session=True,
)


def test_nothing_taken_leaves_all() -> None:
    """Without options, what is asked for is given."""
    assert ASKED == reduced_grant(ASKED, [], []).permissions


def test_what_is_named_is_taken() -> None:
    """Names are taken from their kind, and limits lowered; a name may hold a colon."""
    taken = ["domain:a.example", "package:numpy", "file:a:b.csv", "session"]
    expected = Permissions(domains=ASKED.domains[1:], limits=Limits(memory_mb=64, cpus=0.25))
    assert expected == reduced_grant(ASKED, taken, ["memory_mb=64", "cpus=0.25"]).permissions


@pytest.mark.parametrize("name", ["domain:c.example", "file:", "cpu", "limits:x", "", "domains:a.example"])
def test_what_is_not_asked_for_cannot_be_taken(name: str) -> None:
    """A name that is not there is told, so that nobody believes it was taken."""
    with pytest.raises(Problem, match="was not requested"):
        reduced_grant(ASKED, [name], [])


@pytest.mark.parametrize(
    "limit", ["memory_mb", "memory_mb=", "memory_mb=-1", "memory_mb=1.5", "ram=5", "cpus=nan"]
)
def test_what_is_no_limit_is_told(limit: str) -> None:
    """An unknown or impossible limit is refused."""
    with pytest.raises(Problem, match="is not a limit"):
        reduced_grant(ASKED, [], [limit])


@pytest.mark.parametrize(
    ("expected", "one"),
    [
        ("without x: line 3 will fail", Consequence(permission=Untrusted("x"), lines=(3,))),
        (
            "without x: lines 3, 4 may fail",
            Consequence(permission=Untrusted("x"), lines=(3, 4), certain=False),
        ),
        ("without ␛: no affected line found", Consequence(permission=Untrusted("\x1b"))),
    ],
)
def test_what_comes_of_it_is_one_line(expected: str, one: Consequence) -> None:
    """The lines that fail stand in one line of plain words."""
    assert expected == consequence_line(one)
