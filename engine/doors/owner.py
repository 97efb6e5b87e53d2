"""Who speaks over the socket."""

from __future__ import annotations

import getpass
from typing import Annotated

from fastapi import Depends

from engine.models import Principal, Role
from engine.text import Untrusted


def owner() -> Principal:
    """Return whoever owns the socket: it is theirs alone, so they may do everything."""
    return Principal(name=Untrusted(getpass.getuser()), roles=frozenset(Role))


Owner = Annotated[Principal, Depends(owner)]
