"""How the house stands."""

from __future__ import annotations

from engine.common.text import Untrusted
from engine.models.base import Noun
from engine.models.run import Proof


class Check(Noun):
    """One row of Health: what was looked at, whether it is well, and what to type where it is not."""

    name: str
    ok: bool
    detail: Untrusted
    mend: str = ""


class Health(Noun):
    """How the house stands."""

    checks: tuple[Check, ...]
    proof: Proof | None = None

    @property
    def can_run(self) -> bool:
        """Whether code may run at all: only with a proof of isolation."""
        return self.proof is not None and self.proof.isolated
