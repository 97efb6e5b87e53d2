"""Comments of a reviewer on lines of a submission, and what the agent replies."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator
from typing_extensions import Self

from engine.common.text import Untrusted
from engine.models.base import FrozenModel

MOST_COMMENTS = 100
MOST_TEXT = 4000
"""Characters of one comment or reply."""
MOST_SUGGESTION = 20_000
"""Characters of one suggestion."""


def _nothing(value: object) -> bool:
    return not value


def _at_most(characters: int) -> AfterValidator:
    def checked(text: Untrusted) -> Untrusted:
        if len(text.text) > characters:
            raise ValueError(f"more than {characters:,} characters")
        return text

    return AfterValidator(checked)


CommentText = Annotated[Untrusted, _at_most(MOST_TEXT)]


class LineComment(FrozenModel):
    """What a reviewer says about lines of the code or of an input file, and what to write instead."""

    file: Annotated[Untrusted, _at_most(1024)] = Field(Untrusted(""), exclude_if=_nothing)
    """The name of an input file; empty: the code."""
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    """The last line of the range, which is part of it."""
    text: CommentText
    suggestion: Annotated[Untrusted, _at_most(MOST_SUGGESTION)] = Field(Untrusted(""), exclude_if=_nothing)
    """What the lines should be; empty: no suggestion."""

    @model_validator(mode="after")
    def _is_range(self) -> Self:
        if self.last < self.first:
            raise ValueError("the last line comes before the first")
        if not self.text.text.strip() and not self.suggestion:
            raise ValueError("a comment says something, or suggests something")
        return self


class CommentReply(FrozenModel):
    """What an agent replies to a comment: 0 is the reviewer's general comment, 1 the first about lines."""

    comment: int = Field(ge=0, le=MOST_COMMENTS)
    text: CommentText
