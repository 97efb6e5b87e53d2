"""The base of all models, and the models that all others use."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from engine.common.text import Untrusted

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in lower-case hexadecimal."""


class FrozenModel(BaseModel):
    """The base of all models: immutable, and without unknown fields."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64", allow_inf_nan=False
    )

    def _with(self, **changes: object) -> Self:
        """Return a copy with other values, which are validated; subclasses offer it by typed methods."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return self.model_validate(given | changes)


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
