"""The samples of drills: each is known again, is bad, and is not proven harmless."""

from __future__ import annotations

from random import Random

import pytest

from engine.analysis import analyse
from engine.core.drills import catalogue
from engine.core.drills.marks import DrillMarks
from engine.core.drills.samples.sample import DrillSample
from engine.models import Language, Verdict

SAMPLES = pytest.mark.parametrize("sample", catalogue.SAMPLES, ids=[each.name for each in catalogue.SAMPLES])


@SAMPLES
def test_a_draft_is_known_again(sample: DrillSample) -> None:
    """Whatever words it has."""
    for seed in range(20):
        found = catalogue.sample_of(catalogue.draft_of(sample.name, Random(seed)))  # noqa: S311  words
        assert found is sample


@SAMPLES
def test_no_text_of_a_sample_is_called_harmless(sample: DrillSample) -> None:
    """It would be approved at once where the owner's policy wants that."""
    for text in sample.texts():
        assert Verdict.HARMLESS is not analyse(text, sample.language).verdict
        assert "{{" not in text


@SAMPLES
def test_no_sample_says_what_it_is(sample: DrillSample) -> None:
    """Neither its code nor its purpose calls it a drill."""
    shown = " ".join((*sample.purposes, *sample.texts())).casefold()
    assert not any(word in shown for word in ("drill", "pratique", "malicious", "attack"))


def test_every_language_has_samples() -> None:
    """Three or more, so that they do not repeat soon."""
    assert dict.fromkeys(Language, True) == {
        language: len(catalogue.names(language)) >= 3 for language in Language
    }


def test_the_mark_of_an_id_is_seen_with_its_key_alone() -> None:
    """Another key finds none, and no other id has it."""
    marks, others = DrillMarks(bytes(32)), DrillMarks(bytes([1] * 32))
    id = marks.new_id(1_795_000_000_000)
    assert (True, False) == (marks.holds(id), others.holds(id))
    assert not any(marks.holds(other) for other in ("", "s-", "s-0", id[:-1], f"{id}0", "s-u", "x" * 500))
