"""Secrets by reference: what may be known of one."""

from __future__ import annotations

from engine.models.base import FrozenModel


class SecretReference(FrozenModel):
    """A secret without its value: its name, and the one host that it is for."""

    name: str
    host: str
