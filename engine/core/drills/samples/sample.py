"""A sample: code with places for words, and what is bad about it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.models import Language


@dataclass(frozen=True)
class DrillSample:
    """Known-bad code that looks like work. `{{word}}` stands for one of the choices of that word."""

    name: str
    language: Language
    purposes: tuple[str, ...]
    """What the submission says that it is for; one of them."""
    what: str
    """What is bad, and where: told once the drill has ended."""
    code: str
    words: Mapping[str, tuple[str, ...]]

    def texts(self) -> Iterator[str]:
        """Yield every text that the sample can be."""
        for chosen in itertools.product(*self.words.values()):
            yield self.text(dict(zip(self.words, chosen, strict=True)))

    def text(self, chosen: Mapping[str, str]) -> str:
        """Return the code with these words."""
        code = self.code
        for word, value in chosen.items():
            code = code.replace("{{" + word + "}}", value)
        return code
