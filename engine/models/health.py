"""The health of the engine and its host."""

from __future__ import annotations

from engine.common.text import Untrusted
from engine.models.base import FrozenModel
from engine.models.run import IsolationProof


class Check(FrozenModel):
    """One row of Health: what was checked, whether it is OK, and what to type where it is not."""

    name: str
    ok: bool
    detail: Untrusted
    hint: str = ""


class Health(FrozenModel):
    """The health of the engine and its host."""

    checks: tuple[Check, ...]
    proof: IsolationProof | None = None

    @property
    def can_run(self) -> bool:
        """Whether code may run at all: only with a proof of isolation."""
        return self.proof is not None and self.proof.isolated
