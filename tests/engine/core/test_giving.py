"""What is asked for and cannot be given is refused in words, before anything runs."""

from __future__ import annotations

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.review.grant_validation import may_be_given
from engine.models import Act, Capabilities, Draft, Language, Operation, Package

PACKAGE = Package(name=Untrusted("six"), version=Untrusted("1.17.0"), hashes=(f"sha256:{'a' * 64}",))
HOST = (Untrusted("api.example.org"),)


def draft(language: Language = Language.PYTHON, sandbox: str = "", act: Act | None = None) -> Draft:
    """Return a draft."""
    operation = Operation(act=act) if act else None
    return Draft(code=Untrusted(""), language=language, sandbox=sandbox, operation=operation)


@pytest.mark.parametrize(
    ("given", "to"),
    [
        (Capabilities(domains=HOST, packages=(PACKAGE,)), draft()),
        (Capabilities(domains=HOST), draft(Language.SHELL)),
        (Capabilities(session=True), draft(sandbox="b-1")),
        (Capabilities(session=True, packages=(PACKAGE,)), draft(sandbox="b-1", act=Act.INSTALL)),
    ],
)
def test_what_is_enforced_is_given(given: Capabilities, to: Draft) -> None:
    """Names of hosts, locked packages, sessions, and packages into a session."""
    may_be_given(given, to)


@pytest.mark.parametrize(
    ("why", "given", "to"),
    [
        ("names no sandbox", Capabilities(session=True), draft()),
        ("no domains", Capabilities(session=True, domains=HOST), draft(sandbox="b-1")),
        ("no packages", Capabilities(session=True, packages=(PACKAGE,)), draft(sandbox="b-1")),
        ("no domains", Capabilities(domains=HOST), draft(sandbox="b-1", act=Act.INSTALL)),
        ("covers every host", Capabilities(domains=(Untrusted("*"),)), draft()),
        ("is an address", Capabilities(domains=(Untrusted("169.254.169.254"),)), draft()),
        ("of the inside", Capabilities(domains=(Untrusted("localhost"),)), draft()),
        ("JavaScript alone", Capabilities(packages=(PACKAGE,)), draft(Language.SHELL)),
        ("not set", Capabilities(secrets=(Untrusted("NOBODYS"),)), draft()),
    ],
)
def test_what_is_not_enforced_is_refused(why: str, given: Capabilities, to: Draft) -> None:
    """Wide names, addresses, the inside, other languages, and whatever a sandbox that stays cannot have."""
    with pytest.raises(Problem, match=why):
        may_be_given(given, to)
