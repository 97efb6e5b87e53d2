"""Tokens: how a program that is no owner of the socket says who it is."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from engine.common.text import Untrusted
from engine.models.base import FrozenModel, Role


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
    name: Untrusted
    """The principal that it authenticates."""
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime
    key: str = Field("", pattern=r"^[0-9a-f]{64}$|^$")
    """The Ed25519 public key (hexadecimal) that its decisions are signed with; empty: they need not be."""


class NewToken(FrozenModel):
    """A token just made, with its secret, which is shown this once."""

    token: Token
    secret: str
