"""Published formats of keys and tokens: the table `formats.toml`, read without backtracking."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import log2
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from engine.models import FrozenModel
from engine.policy.output.masking.spans import MaskedSpan

TABLE = Path(__file__).with_name("formats.toml")
_DIGIT, _LETTER = re.compile("[0-9]"), re.compile("[A-Za-z]")
KNOWN = 2
"""The weight of a known format."""


class SecretFormat(FrozenModel):
    """One format of the table. See there."""

    name: str
    kind: str
    prefixes: tuple[str, ...] = Field(min_length=1)
    body: str
    check: Literal["", "mixed", "random"] = ""
    glued: bool = False
    example: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled body."""
        return _compiled(self.body)


class NameWords(FrozenModel):
    """The words of the table that names consist of. See there."""

    secret: frozenset[str]
    weak: frozenset[str]
    key_of: frozenset[str]
    token_of: frozenset[str]
    after: frozenset[str]
    headers: frozenset[str]
    placeholders: frozenset[str]


_compiled = cache(re.compile)


@cache
def formats() -> tuple[SecretFormat, ...]:
    """Return the formats of the table."""
    return tuple(SecretFormat.model_validate(one) for one in _table()["format"])


@cache
def name_words() -> NameWords:
    """Return the words of the table."""
    return NameWords.model_validate(_table()["names"])


def _table() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def known_formats(text: str) -> Iterator[MaskedSpan]:
    """Yield what is written in one of the formats."""
    for form in formats():
        for prefix in form.prefixes:
            if prefix in text:
                yield from _of(text, form, prefix)


def _of(text: str, form: SecretFormat, prefix: str) -> Iterator[MaskedSpan]:
    place = text.find(prefix)
    while place >= 0:
        end = place + len(prefix)
        body = form.pattern.match(text, end) if form.glued or not _is_glued(text, place) else None
        if body and passes(form.check, body[0]):
            yield MaskedSpan(place, body.end(), form.kind, KNOWN)
        place = text.find(prefix, body.end() if body else end)


def _is_glued(text: str, place: int) -> bool:
    before = text[place - 1 : place]
    return before.isascii() and before.isalnum()


def passes(check: str, body: str) -> bool:
    """Return whether what follows a prefix looks drawn by chance, as far as a check asks for it."""
    if not check:
        return True
    mixed = _DIGIT.search(body) is not None and _LETTER.search(body) is not None
    return mixed and (check == "mixed" or entropy(body) >= 3)


def entropy(text: str) -> float:
    """Return the bits of a character of a text, by how often each occurs."""
    counts = Counter(text).values()
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)
