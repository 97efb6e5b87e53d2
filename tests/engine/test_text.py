"""Untrusted text: what is shown of it, and what is refused."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from engine.common.text import Untrusted, visible

TERMINAL = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("print(1)", "print(1)"),
        ("␛[2J", "\x1b[2J"),
        ("␛]52;c;UFdO␇", "\x1b]52;c;UFdO\x07"),
        ("⟨009B⟩31m", "\x9b31m"),
        ("⟨202E⟩evil", "\u202eevil"),
        ("a⟨200B⟩b", "a\u200bb"),
        ("⟨E0041⟩", "\U000e0041"),
        ("⟨3164⟩ = 1", "\u3164 = 1"),
        ("␡", "\x7f"),
        ("⟨D800⟩", "\ud800"),
        ("naïve 日本 ", "naïve 日本 "),
    ],
)
def test_what_steers_or_hides_is_shown_as_a_mark(shown: str, text: str) -> None:
    """Control, bidirectional, invisible, tag and surrogate characters become marks; other text stays."""
    assert shown == visible(Untrusted(text))


@given(st.text(st.characters()))
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    """No text leaves a control, format, private or surrogate character, whatever it was made of."""
    assert not [char for char in visible(text) if unicodedata.category(char) in TERMINAL]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_marks_keep_the_text_apart(text: str) -> None:
    """What is kept by request passes, and only that."""
    assert text.count("\n") == visible(text, keep="\n").count("\n")


def test_a_lone_surrogate_is_refused_at_the_door() -> None:
    """Text that cannot be encoded is no text, whether it comes as JSON, as a string or wrapped already."""
    text = TypeAdapter(Untrusted)
    with pytest.raises(ValidationError):
        text.validate_json('"a\\ud800"')
    with pytest.raises(ValidationError):
        text.validate_python("a\ud800")
    with pytest.raises(ValidationError, match="lone surrogate at character 1"):
        text.validate_python(Untrusted("a\ud800"))


def test_untrusted_text_formats_harmlessly() -> None:
    """An f-string that slipped past the type checker shows escapes, not the characters."""
    assert "\x1b" not in f"{Untrusted(chr(27))}"
