"""What hides from the reader's eyes is shown, with its place in characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.text import analyse_text
from engine.models import Language, Level, Violation

_HOSTILE = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from(" \t\r\n\x00\x1b\u202e\u200b\u3164Нǃ#'\"/"),
    max_size=300,
)


def _found(source: str, language: Language = Language.PYTHON) -> list[Violation]:
    return analyse_text(source, language).violations


@pytest.mark.parametrize(
    ("rule", "place", "source"),
    [
        ("text-bidi", (2, 7, 2, 9), "é = 'ü'\nx = 'a\u202e\u2066b'"),
        ("text-homoglyph", (2, 5, 2, 13), "# ü\r\ndef sayНello(): pass"),
        ("text-invisible", (1, 3, 1, 4), "is\u200bAdmin"),
        ("text-control", (1, 4, 1, 5), "\t# \x1b"),
        ("text-far-right", (1, 103, 1, 106), "x;" + " " * 100 + "y=2"),
        ("text-encoding-cookie", (2, 11, 2, 16), "#!/usr/bin/python\n# coding: utf-7"),
    ],
)
def test_the_place_is_exact(rule: str, place: tuple[int, int, int, int], source: str) -> None:
    """Lines and columns count characters, through tabs, CRLF and multi-byte text."""
    spans = [v.span for v in _found(source) if v.rule == rule]
    assert [place] == [(s.line, s.column, s.end_line, s.end_column) for s in spans]


@pytest.mark.parametrize(
    "source",
    [
        "print('привет мир')  # обычный текст",
        "x = '👩\u200d👩\u200d👧 and 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f'",
        "naïve = 1",
        "σ_x = ρ / Δt",
        "\ufeffx = 1",
        "x = 1\r\ny = 2\r\n",
        "имя = 1",
    ],
)
def test_ordinary_text_has_no_violation(source: str) -> None:
    """Other languages, emoji, a byte-order mark and CRLF are no violations."""
    assert [] == [v.rule for v in _found(source) if v.severity is not Level.LOW]


def test_a_line_separator_is_worse_where_it_ends_a_line_of_code() -> None:
    """JavaScript starts a new line after U+2028."""
    levels = [
        next(v.severity for v in _found("1 // a\u2028b", language) if v.rule == "text-line-separator")
        for language in (Language.JAVASCRIPT, Language.SHELL)
    ]
    assert [Level.HIGH, Level.MEDIUM] == levels


def test_a_lookalike_in_a_string_is_medium() -> None:
    """A mixed word in a string or a comment is MEDIUM."""
    assert [Level.MEDIUM] == [v.severity for v in _found("x = 'kВтsay'") if v.rule == "text-homoglyph"]


@given(_HOSTILE, st.sampled_from(Language))
def test_any_text_can_be_checked(source: str, language: Language) -> None:
    """Any text is analysed, and every span lies inside it."""
    for violation in analyse_text(source, language).violations:
        assert (
            1 <= violation.span.line <= violation.span.end_line <= source.count("\n") + source.count("\r") + 1
        )


def test_a_binary_file_has_few_violations() -> None:
    """Many different control characters are one violation with all places; a few have one each."""
    noise = "".join(f"a{chr(code)}\n" for code in range(1, 32) if code not in (9, 10, 12, 13))
    found = [one for one in analyse_text(noise, Language.PYTHON).violations if one.rule == "text-control"]
    assert [Level.HIGH, Level.HIGH, Level.MEDIUM] == [one.severity for one in found]
    assert 27 == sum(1 + len(one.related) for one in found)
