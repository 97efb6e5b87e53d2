"""The network that a job was granted."""

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
    """The hosts that were granted, and the secrets for them."""

    policy: EgressPolicy
    secrets: tuple[Secret, ...] = ()
