"""The base of all models, and the models that all others use."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer
from typing_extensions import Self

from engine.common.backports import StrEnum
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


def _unknown(value: object) -> bool:
    """Leave out what older records do not have, so that what was signed then still verifies."""
    return not value


class Principal(FrozenModel):
    """Who acts. `id` is what the engine authenticated; the name of an agent may be the agent's own word."""

    name: Untrusted
    roles: Roles = frozenset({Role.REQUESTER})
    id: str = Field("", pattern=r"^[a-z0-9:/-]{0,80}$", exclude_if=_unknown)
    """`uid:N` for a user of the kernel, `uid:N/agent:HASH` for one connection of an unregistered agent of
    that user, `token:ID` for a token. Empty: the engine itself, or a record that is older than ids."""
    person: str = Field("", max_length=64, exclude_if=_unknown)
    """The person behind it, as far as the engine knows."""

    @property
    def identity(self) -> str:
        """What ownership goes by: the id; names that a user gives over the socket are kept apart under it."""
        is_user = self.id.startswith("uid:") and "/" not in self.id
        return self.id if self.id and not is_user else f"{self.id} {self.name.text}"

    @property
    def account(self) -> str:
        """What quotas go by: a token; all names of a user; all unregistered agents of a user."""
        user, slash, _ = self.id.partition("/")
        return f"{user}/agents" if slash else self.id or f"name {self.name.text}"

    def with_identity(self, name: Untrusted, id: str) -> Principal:
        """Return the principal under another name and id."""
        return self._with(name=name, id=id)

    def is_same(self, other: Principal) -> bool:
        """Return whether both are one principal."""
        return self.identity == other.identity

    def is_same_person(self, other: Principal) -> bool:
        """Return whether one person may be behind both: the same user, token, person or name."""
        mine, theirs = self.id.partition("/")[0], other.id.partition("/")[0]
        return (
            bool(mine and mine == theirs)
            or bool(self.person and self.person == other.person)
            or self.name == other.name
        )
