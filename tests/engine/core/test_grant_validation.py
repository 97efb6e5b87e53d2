"""What is asked for and cannot be given is refused in words, before anything runs."""

from __future__ import annotations

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.review.grant_validation import validate_grant
from engine.models import Draft, Language, Operation, OperationKind, Package, Permissions

PACKAGE = Package(name=Untrusted("six"), version=Untrusted("1.17.0"), hashes=(f"sha256:{'a' * 64}",))
HOST = (Untrusted("api.example.org"),)


def draft(
    language: Language = Language.PYTHON, session: str = "", kind: OperationKind | None = None
) -> Draft:
    """Return a draft."""
    operation = Operation(kind=kind) if kind else None
    return Draft(code=Untrusted(""), language=language, session=session, operation=operation)


@pytest.mark.parametrize(
    ("given", "to"),
    [
        (Permissions(domains=HOST, packages=(PACKAGE,)), draft()),
        (Permissions(domains=HOST), draft(Language.SHELL)),
        (Permissions(session=True), draft(session="ses-1")),
        (Permissions(session=True, packages=(PACKAGE,)), draft(session="ses-1", kind=OperationKind.INSTALL)),
        (Permissions(builds=(Untrusted("six"),)), draft(session="ses-1", kind=OperationKind.INSTALL)),
    ],
)
def test_what_is_enforced_is_given(given: Permissions, to: Draft) -> None:
    """Names of hosts, locked packages, sessions, and packages into a session."""
    validate_grant(given, to)


@pytest.mark.parametrize(
    ("why", "given", "to"),
    [
        ("names no sandbox", Permissions(session=True), draft()),
        ("no domains", Permissions(session=True, domains=HOST), draft(session="ses-1")),
        ("no packages", Permissions(session=True, packages=(PACKAGE,)), draft(session="ses-1")),
        ("no builds", Permissions(builds=(Untrusted("six"),)), draft(session="ses-1")),
        ("no packages", Permissions(packages=(PACKAGE,)), draft(session="ses-1", kind=OperationKind.WRITE)),
        ("no domains", Permissions(domains=HOST), draft(session="ses-1", kind=OperationKind.INSTALL)),
        ("matches every host", Permissions(domains=(Untrusted("*"),)), draft()),
        ("is an address", Permissions(domains=(Untrusted("169.254.169.254"),)), draft()),
        ("an internal name", Permissions(domains=(Untrusted("localhost"),)), draft()),
        ("JavaScript only", Permissions(packages=(PACKAGE,)), draft(Language.SHELL)),
        ("not set", Permissions(secrets=(Untrusted("NOBODYS"),)), draft()),
    ],
)
def test_what_is_not_enforced_is_refused(why: str, given: Permissions, to: Draft) -> None:
    """Wide names, addresses, the inside, other languages, and whatever a session cannot have."""
    with pytest.raises(Problem, match=why) as refused:
        validate_grant(given, to)
    assert 422 == refused.value.status
    assert refused.value.hint
