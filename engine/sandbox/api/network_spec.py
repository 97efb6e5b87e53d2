"""What a job wants of the network."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.sandbox.api.egress_policy import EgressPolicy


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret, and the one host that it is for."""

    name: str
    host: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NetworkSpec:
    """What was granted, and no more."""

    terms: EgressPolicy
    secrets: tuple[Secret, ...] = ()
