"""What every noun is, and the nouns that all others use."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from engine.common.text import Untrusted

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in lower-case hexadecimal."""


class FrozenModel(BaseModel):
    """What every noun is: immutable, and refusing fields that it does not know."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64", allow_inf_nan=False
    )


class Level(StrEnum):
    """How bad: the scale of both a violation's severity and a submission's risk."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for LOW up to 3 for CRITICAL."""
        return _RANKS[self]


_RANKS = {level: rank for rank, level in enumerate(Level)}


class Language(StrEnum):
    """What a submission is written in."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    SHELL = "shell"


class Role(StrEnum):
    """What a principal may do."""

    REQUESTER = "requester"
    REVIEWER = "reviewer"
    AUDITOR = "auditor"
    ADMIN = "admin"


Roles = Annotated[frozenset[Role], PlainSerializer(sorted, return_type=list[Role], when_used="json")]
"""Roles travel in order, so that what is hashed or signed is the same in every process."""


class Principal(FrozenModel):
    """Who acts. The name of an agent is the agent's own word."""

    name: Untrusted
    roles: Roles = frozenset({Role.REQUESTER})
