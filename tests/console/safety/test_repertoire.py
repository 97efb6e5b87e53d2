"""Every code point is displayed with the width that every terminal gives it, or as a mark."""

from __future__ import annotations

import itertools
import re
import unicodedata
from pathlib import Path

import emoji
import pytest
import wcwidth
from hypothesis import given
from hypothesis import strategies as st
from rich._unicode_data._versions import VERSIONS
from rich.cells import cell_len, get_character_cell_size

from console.code_view.lines import display
from console.safety.text import visible_text
from engine.common.text import is_marked, mark, visible
from engine.common.unicode import tables
from engine.common.unicode.generate import DATABASE, ranges, read
from engine.common.unicode.generate import tables as generated
from engine.common.unicode.repertoire import outside

EVERY = range(0x110000)
MARK = re.compile("⟨[0-9A-F]{4,6}⟩|[\u2400-\u2421]")
"""What a mark looks like."""
OLDEST = 11
"""Rich has a table for each version of Unicode; terminals in use have that of 11 or a later one."""


def codes(table: str) -> set[int]:
    """Return the code points of a table."""
    words = (word.partition("-") for word in table.split())
    return {code for first, _, last in words for code in range(int(first, 16), int(last or first, 16) + 1)}


NARROW, WIDE = codes(tables.NARROW), codes(tables.WIDE)
CLASSES = {
    "control": "\x1b\x07\b\r\x85\x9b\x7f\x00\n\t\v",
    "bidirectional control": "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c",
    "right to left": "אבתشمعةޝܫߊࠀࡀࢠיִﭐﷲﺍ𐤀𐡀𐨀𐲀𞤀𞸀٣۵",
    "joiner": "\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u034f\u2d7f\U0001107f\u17d2\u1039\u0eba",
    "zero width": "\u200b\ufeff\u00ad\u180e\u180b\u206a\u206f\u115f\u1160\u3164\uffa0\u17b4",
    "blank": "\u00a0\u1680\u2000\u2003\u2007\u200a\u202f\u205f\u3000\u2800\U0001d159\U00016fe4",
    "format": "\U00013430\U00013434\U00013438\U00013439\u2061\U0001bca0\U0001d173\ufff9\ufffc\u06dd",
    "variation": "\ufe00\ufe0e\ufe0f\U000e0100\U000e01ef\u180c\u180d\u180f\ufe08\ufe01",
    "tag": "\U000e0001\U000e0020\U000e0041\U000e007f\U000e0030\U000e0061\U000e0067\U000e0062\U000e0065",
    "emoji modifier": "🏻🏼🏽🏾🏿",
    "flag": "🇦🇧🇨🇩🇪🇫🇬🇭🇮🇯🇿",
    "combining": "\u0300\u0301\u0338\u0360\u0488\u1ab0\u1dc0\u20d0\u20dd\u20e3\ufe20\u3099\u302a\U0001d165",
    "vowel sign": "\u093f\u094d\u09be\u0a3e\u0bbf\u0bc8\u0c3e\u0d3e\u0d4e\u0e31\u0e33\u0eb1\u102b\u17b6",
    "conjoining": "\u1100\u1112\u115e\u1161\u1175\u11a8\u11c2\ua960\ud7b0\ud7cb",
    "private": "\ue000\uf8ff\U000f0000\U000ffffd\U00100000\U0010fffd\uf001\ue0b0\uf120\uf8e7",
    "surrogate": "\ud800\ud83d\udbff\udc00\udfff\udb40\uda00\ude00\ud900\udd00",
    "noncharacter": "\ufffe\uffff\ufdd0\ufdef\U0001fffe\U0001ffff\U0010ffff\U000affff\U0008fffe\U0003ffff",
    "unassigned": "\u0378\u0530\u2065\u2fe0\ufff0\U00013460\U0001fc00\U00030000\U000323b0\U000e1000",
    "recent": "🥸🪄🫠🫨\u20c0\U00018b00\U0001df00\u31bb\u2ffc\U0001f6dc\U0001ccf0",
    "width that changed": "☰☱⚊䷀䷿𝌀𝍠㉈㉏🤻",
    "music": "\U0001d100\U0001d15e\U0001d16d\U0001d000\U0001d200\U0001d242\U0001d1e8\U0001d15f\U0001d0f5",
    "unusual script": "𒐫𓀀ᚠ𐌀꧁᭨ꦂ𑄃𖼀𛆀",
}  # fmt: skip
"""Members of each class of characters that terminals treat differently."""


@pytest.mark.parametrize("name", CLASSES)
def test_what_terminals_differ_about_is_a_mark(name: str) -> None:
    """Each member, alone and beside other text, is displayed by its number."""
    for one in CLASSES[name]:
        assert MARK.fullmatch(visible(one)), f"{ord(one):X}"
        assert f"1{mark(one)}0" == visible(f"1{one}0")


def test_every_code_point_is_in_the_repertoire_or_a_mark() -> None:
    """All 1,114,112 of them: displayed as itself or as a mark, and a mark is displayed as itself."""
    displayed = {code for code in EVERY if visible(chr(code)) == chr(code)}
    assert NARROW | WIDE == displayed
    assert all(MARK.fullmatch(mark(chr(code))) for code in EVERY if code not in displayed)
    assert set(map(ord, "⟨0123456789ABCDEF⟩")) | set(range(0x2400, 0x2422)) <= NARROW


@pytest.mark.parametrize("version", [one for one in VERSIONS if int(one.partition(".")[0]) >= OLDEST])
def test_the_toolkit_counts_what_unicode_says(version: str) -> None:
    """Rich and Textual, whichever of their tables they use."""
    assert [] == [code for code in NARROW if get_character_cell_size(chr(code), version) != 1]
    assert [] == [code for code in WIDE if get_character_cell_size(chr(code), version) != 2]


def test_a_second_library_agrees() -> None:
    """wcwidth, which has newer data than the tables here."""
    assert [] == [code for code in NARROW if wcwidth.wcwidth(chr(code)) != 1]
    assert [] == [code for code in WIDE if wcwidth.wcwidth(chr(code)) != 2]


def test_nothing_displayed_combines_or_runs_from_right_to_left() -> None:
    """By Python's own data, of another version of Unicode."""
    shown = [chr(code) for code in NARROW | WIDE]
    assert set() == {unicodedata.category(one)[0] for one in shown} - set("LNPSZ")
    assert set() == {unicodedata.bidirectional(one) for one in shown} & {"R", "AL", "AN", "RLO", "LRO", "RLI"}
    assert [" "] == [one for one in shown if unicodedata.category(one)[0] == "Z"]


def test_every_emoji_sequence_is_as_wide_as_its_parts() -> None:
    """Sequences of Unicode's emoji test data: at most single emoji are left, and no library joins them."""
    for sequence in emoji.EMOJI_DATA:
        shown = visible(sequence)
        assert (
            sum(1 if ord(one) in NARROW else 2 for one in shown) == cell_len(shown) == wcwidth.wcswidth(shown)
        )
        assert len(sequence) == 1 or MARK.search(shown)


def test_every_pair_of_classes_stays_apart() -> None:
    """A member of any class after a member of any other, and after what it could join."""
    members = [one for each in CLASSES.values() for one in each[:4]] + list("eक한👨1#漢Δ𝕏👩❤")
    for pair in itertools.product(members, repeat=2):
        text = "".join(pair)
        assert mark(text[0]) + mark(text[1]) == visible(text)
        assert cell_len(visible(text)) == cell_len(mark(text[0])) + cell_len(mark(text[1]))


@given(st.text(st.characters(codec=None), max_size=200))
def test_text_is_as_wide_as_the_toolkit_counts(text: str) -> None:
    """The width of a text is the sum of the widths of its characters, and marks are displayed once."""
    shown = visible(text)
    assert None is outside().search(shown)
    assert sum(1 if ord(one) in NARROW else 2 for one in shown) == cell_len(shown)
    assert shown == visible(shown)
    assert shown == "".join(
        display(text, index) if text[index] != "\t" else "␉" for index in range(len(text))
    )


@pytest.mark.parametrize(
    "text",
    ["naïve café", "Всё хорошо", "Ελληνικά", "日本語の文字", "한국어", "“quotes” — and … ×10 ±2°",
     "β₂x² + XᵀWX ≤ ∑∞", "✅ done ❌ failed 🚀", "→ ↔ ⇒ ∀x∈ℝ", "ქართული", "አማርኛ", "┌─┐│█▓░"],
)  # fmt: skip
def test_ordinary_text_is_displayed_as_it_is(text: str) -> None:
    """Letters with accents, other alphabets from left to right, mathematics, single emoji and frames."""
    assert text == visible(text)
    assert not any(map(is_marked, text))


@pytest.mark.parametrize(
    "text", ["👨🏽×10", "क्षि", "நி", "1️⃣", "🇩🇪", "👩\u200d💻", "שלום", "e\u0301", "🏴\U000e0067"]
)
def test_text_that_joins_is_displayed_by_its_parts(text: str) -> None:
    """What a terminal could draw with fewer cells is spelt out."""
    shown = visible_text(text)
    assert "⟨" in shown
    assert cell_len(shown) == wcwidth.wcswidth(shown)


def test_the_tables_are_what_the_database_says() -> None:
    """Written anew from Unicode's files, the tables are the same."""
    if not (DATABASE / "DerivedAge.txt").exists():
        pytest.skip("Unicode's files are missing: apt-get install unicode-data")
    database = read()
    if f"Unicode {database.version}," not in str(tables.__doc__):
        pytest.skip(f"the tables are of another version of Unicode than {database.version}")
    assert Path(str(tables.__file__)).read_text(encoding="utf-8") == generated(database)
    assert "20-7E A1" == ranges([*range(0x20, 0x7F), 0xA1])
