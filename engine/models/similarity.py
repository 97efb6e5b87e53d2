"""What is like something else."""

from __future__ import annotations

from pydantic import Field

from engine.models.base import FrozenModel


class SimilarSubmission(FrozenModel):
    """The approved submission whose code is most like that of another one."""

    id: str
    similarity: float = Field(ge=0, le=1)
    """1 where nothing differs but names of local variables, comments and white space."""
