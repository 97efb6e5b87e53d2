"""Who speaks over the socket."""

from __future__ import annotations

import getpass
from typing import Annotated

from fastapi import Depends

from engine.models import Principal, Role
from engine.text import Untrusted

_OWNER = Principal(name=Untrusted(getpass.getuser()), roles=frozenset(Role))


async def owner() -> Principal:
    """Return whoever owns the socket: it is theirs alone, so they may do everything."""
    return _OWNER


Owner = Annotated[Principal, Depends(owner)]
