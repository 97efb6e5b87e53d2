"""Tokens: how a program that is no owner of the socket says who it is."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel, Role

NAME = r"^[a-z0-9][a-z0-9._-]{0,63}$"
"""Names of tokens and of people: no invisible, upper-case or foreign characters, which look like others."""


def _plain(name: Untrusted) -> Untrusted:
    if not re.fullmatch(NAME, name.text):
        raise ValueError("a name has 1 to 64 of a-z 0-9 . _ - and begins with a letter or digit")
    return name


TokenName = Annotated[Untrusted, AfterValidator(_plain)]
"""The name of a token."""


class Scope(StrEnum):
    """What a token is good for."""

    SUBMIT = "submit"
    """Hand code in, and follow what became of one's own."""
    REVIEW = "review"
    """See what waits, decide, and steer runs."""
    AUDIT = "audit"
    """Read the history and the figures."""
    ADMIN = "admin"
    """All of it, other tokens and the engine's end included."""


ROLES = {
    Scope.SUBMIT: Role.REQUESTER,
    Scope.REVIEW: Role.REVIEWER,
    Scope.AUDIT: Role.AUDITOR,
    Scope.ADMIN: Role.ADMIN,
}
"""The role that each scope gives."""


class Token(FrozenModel):
    """A token without its secret, of which only a hash is kept."""

    id: str
    name: TokenName
    """The name of the principal that it authenticates."""
    person: str = Field(max_length=64)
    """Who holds it: two tokens of one person are not two reviewers."""
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime
    key: str = Field("", pattern=r"^[0-9a-f]{64}$|^$")
    """The Ed25519 public key (hexadecimal) that its decisions are signed with; empty: they need not be."""


class NewToken(FrozenModel):
    """A token just made, with its secret, which is shown this once."""

    token: Token
    secret: str
