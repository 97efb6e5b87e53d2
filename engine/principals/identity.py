"""Who a principal is, by what the engine authenticated, and which names tokens may have."""

from __future__ import annotations

import hashlib
import os
import pwd
import re

from engine.common.text import Untrusted, visible
from engine.models import Principal, Role, Token
from engine.models.token import NAME, ROLES

RESERVED = frozenset(
    {"admin", "agent", "anonymous", "engine", "inbox", "mcp", "nobody", "owner", "policy", "pratique",
     "reviewer", "root", "socket", "system"}
)  # fmt: skip
"""Names that stand for parts of Pratique, or for nobody; no token has one."""
AGENT_SECRET = r"^[A-Za-z0-9_-]{43,128}$"  # noqa: S105  a pattern
"""What a connection of an agent over the socket proves itself with: at least 256 bits of chance."""
MOST_LABEL = 40
_TOKEN_ID = "token:"  # noqa: S105  a part of an id
"""What the ids of principals begin with that a token authenticates."""


def name_error(name: str) -> str:
    """Return why a token may not have a name; empty if it may."""
    if not re.fullmatch(NAME, name):
        return f"{visible(name)[:64]}: a name has 1 to 64 of a-z 0-9 . _ - and begins with a letter or digit"
    taken = name in RESERVED or name == owner().name.text.casefold()
    return f"{name} is the name of the owner, of a part of Pratique, or of nobody" if taken else ""


def person_error(name: str) -> str:
    """Return why a token may not be a person's; empty if it may. The owner's person is their login name."""
    return "" if name == owner().person else name_error(name)


def owner() -> Principal:
    """Return the owner of the socket: the user of this process, as the kernel and its user database say."""
    uid = os.getuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = f"uid-{uid}"
    return Principal(name=Untrusted(name), roles=frozenset(Role), id=f"uid:{uid}", person=name.casefold())


def token_holder(token: Token) -> Principal:
    """Return the principal that a token authenticates."""
    roles = frozenset(ROLES[scope] for scope in token.scopes)
    return Principal(name=token.name, roles=roles, id=_TOKEN_ID + token.id, person=token.person)


def token_of(principal: Principal) -> str:
    """Return the id of the token that authenticates a principal; empty where it is none."""
    return principal.id.removeprefix(_TOKEN_ID) if principal.id.startswith(_TOKEN_ID) else ""


def connected_agent(of: Principal, secret: str, label: str = "") -> Principal:
    """Return the unregistered agent behind one connection: nobody else knows the secret that names it.

    The name ends in a part of the id: it is not that of another connection, of a token or of a person.
    """
    proof = hashlib.sha256(f"agent of pratique {secret}".encode()).hexdigest()[:32]
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", label)[:MOST_LABEL].strip("-") or "agent"
    return Principal(name=Untrusted(f"{plain}#{proof[:6]}"), id=f"{of.id}/agent:{proof}", person=of.person)
