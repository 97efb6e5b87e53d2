"""The names that code can use in an image: modules, and what they contain."""

from __future__ import annotations

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel


class NameKind(StrEnum):
    """What a name stands for."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    VALUE = "value"


class CodeNames(FrozenModel):
    """The names of one image. A sandbox said them: they are for display only."""

    image: str
    digest: str
    table: Untrusted = Untrusted("")
    """A line for each: the qualified name (`json.dumps`), its kind, its signature and the first line of its
    documentation, between tabs. What is not known is empty."""
