"""Writes `tables.py` from the Unicode Character Database, as Debian's package `unicode-data` installs it.

Type: python -m engine.common.unicode.generate > engine/common/unicode/tables.py
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path

DATABASE = Path("/usr/share/unicode")
NEWEST = (11, 0)
"""Characters that were added later are marked: many terminals in use have the widths of Unicode 11."""
SCRIPTS = frozenset(
    {"Armenian", "Bengali", "Bopomofo", "Common", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek",
     "Gujarati", "Gurmukhi", "Han", "Hangul", "Hiragana", "Kannada", "Katakana", "Khmer", "Lao", "Latin",
     "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thai", "Tibetan"}
)  # fmt: skip
"""The scripts that UAX #31, table 5 recommends, without those that run from right to left."""
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN", "LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
ALONE = frozenset({"Other", "LV", "LVT"})
"""Grapheme_Cluster_Break of characters that never join their neighbours (UAX #29)."""
BLANK = frozenset({0x2800, 0x1D159, 0x1107F, 0x16FE4, 0x2D7F, 0xFFFC, *range(0x13430, 0x13460)})
"""Characters without a glyph of their own that no property calls invisible."""
MUSIC = range(0x1D000, 0x1D250)
"""Notation that combines and overlaps."""
CHANGED = frozenset(
    {0x1CF2, 0x1CF3, 0x1F93B, 0x1F946, *range(0x2630, 0x2638), *range(0x268A, 0x2690), *range(0x3248, 0x3250),
     *range(0x4DC0, 0x4E00), *range(0x1D300, 0x1D357), *range(0x1D360, 0x1D377)}
)  # fmt: skip
"""Characters that got another width after Unicode 11, and numbers on black squares: terminals differ."""


@dataclass(frozen=True)
class Database:
    """The properties of every code point."""

    version: str
    category: dict[int, str]
    direction: dict[int, str]
    age: dict[int, str]
    width: dict[int, str]
    cluster: dict[int, str]
    script: dict[int, str]
    ignorable: frozenset[int]

    def is_displayed(self, code: int) -> bool:
        """Return whether a character has one width everywhere, stands alone and runs from left to right."""
        category = self.category.get(code, "Cn")
        age = tuple(int(part) for part in self.age.get(code, "99.0").split("."))
        return (
            (category[0] in "LNPS" or code == 0x20)
            and age <= NEWEST
            and self.script.get(code) in SCRIPTS
            and self.direction[code] not in RIGHT_TO_LEFT
            and self.cluster.get(code, "Other") in ALONE
            and not self.is_hidden(code)
            and code not in MUSIC
            and code not in CHANGED
        )

    def is_wide(self, code: int) -> bool:
        """Return whether a character takes two cells; the ambiguous ones take one (UAX #11)."""
        return self.width.get(code, "N") in {"W", "F"}

    def is_hidden(self, code: int) -> bool:
        """Return whether nothing of a character is seen: default-ignorable, a format control, or blank."""
        category = self.category.get(code, "Cn")
        control = category in {"Zl", "Zp"} or (category == "Cf" and self.cluster.get(code) != "Prepend")
        return control or code in self.ignorable or code in BLANK

    def is_joining(self, code: int) -> bool:
        """Return whether a character joins its neighbours, or is drawn over them (UAX #29)."""
        joins = self.cluster.get(code, "Other") not in ALONE | {"Control", "CR", "LF"}
        return joins or self.category.get(code, "Cn")[0] == "M"

    def is_right_to_left(self, code: int) -> bool:
        """Return whether a character runs, or makes others run, from right to left (UAX #9)."""
        return self.direction.get(code) in RIGHT_TO_LEFT and not self.is_hidden(code)


def read(folder: Path = DATABASE) -> Database:
    """Read the properties that decide."""
    category, direction = {}, {}
    for codes, fields in _unicode_data(folder / "UnicodeData.txt"):
        category.update(dict.fromkeys(codes, fields[2]))
        direction.update(dict.fromkeys(codes, fields[4]))
    core = _properties(folder / "DerivedCoreProperties.txt", only="Default_Ignorable_Code_Point")
    return Database(
        version=_version(folder / "EastAsianWidth.txt"),
        category=category,
        direction=direction,
        age=_properties(folder / "DerivedAge.txt"),
        width=_properties(folder / "EastAsianWidth.txt"),
        cluster=_properties(folder / "auxiliary" / "GraphemeBreakProperty.txt"),
        script=_properties(folder / "Scripts.txt"),
        ignorable=frozenset(core),
    )


def _version(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("-", 1)[1].split(".txt", 1)[0]


def _unicode_data(path: Path) -> Iterator[tuple[range, list[str]]]:
    """Yield code points and their fields; a range stands on two lines, `First` and `Last`."""
    first = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split(";")
        code = int(fields[0], 16)
        if fields[1].endswith(", First>"):
            first = code
            continue
        yield range(first if fields[1].endswith(", Last>") else code, code + 1), fields


def _properties(path: Path, only: str = "") -> dict[int, str]:
    found: dict[int, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        codes, _, value = line.partition("#")[0].partition(";")
        if value and (not only or value.strip() == only):
            first, _, last = codes.strip().partition("..")
            found.update(dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), value.strip()))
    return found


def ranges(codes: Iterable[int]) -> str:
    """Return ascending code points as `20-7E A1`, in hexadecimal."""
    words = []
    counter = count()
    for _, group in groupby(codes, lambda code: code - next(counter)):
        run = list(group)
        words.append(f"{run[0]:X}" if len(run) == 1 else f"{run[0]:X}-{run[-1]:X}")
    return " ".join(words)


def tables(database: Database) -> str:
    """Return the source of `tables.py`."""
    displayed = [code for code in range(0x110000) if database.is_displayed(code)]
    parts = {
        "NARROW": [code for code in displayed if not database.is_wide(code)],
        "WIDE": [code for code in displayed if database.is_wide(code)],
        "HIDDEN": [code for code in range(0x110000) if database.is_hidden(code)],
        "JOINING": [code for code in range(0x110000) if database.is_joining(code)],
        "RIGHT_TO_LEFT": [code for code in range(0x110000) if database.is_right_to_left(code)],
    }
    head = f'"""Ranges of code points of Unicode {database.version}, written by `generate.py`."""\n'
    return head + "".join(_constant(name, ranges(codes)) for name, codes in parts.items())


def _constant(name: str, text: str) -> str:
    lines = "\n".join(textwrap.wrap(text, 108))
    return f'\n{name} = """\n{lines}\n"""\n'


if __name__ == "__main__":
    sys.stdout.write(tables(read()))
