"""All samples, and every text that a drill can be. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random

from engine.common.text import Untrusted
from engine.core.drills.samples import javascript, python, shell
from engine.core.drills.samples.sample import DrillSample
from engine.models import Draft, Language

SAMPLES = (*python.SAMPLES, *javascript.SAMPLES, *shell.SAMPLES)


@cache
def _by_text() -> Mapping[str, DrillSample]:
    return {text: sample for sample in SAMPLES for text in sample.texts()}


def sample_of(draft: Draft) -> DrillSample | None:
    """Return the sample that the code of a draft is; None where it is none."""
    return _by_text().get(draft.code.text)


def names(language: Language) -> tuple[str, ...]:
    """Return the names of the samples in a language."""
    return tuple(sample.name for sample in SAMPLES if sample.language is language)


def draft_of(name: str, chance: Random) -> Draft:
    """Return a draft of the sample of that name, in words by chance."""
    sample = next(sample for sample in SAMPLES if sample.name == name)
    chosen = {word: chance.choice(choices) for word, choices in sample.words.items()}
    return Draft(
        code=Untrusted(sample.text(chosen)),
        language=sample.language,
        purpose=Untrusted(chance.choice(sample.purposes)),
    )
