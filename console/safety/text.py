"""Makes text safe to display: widgets show text only through these functions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from rich.cells import cell_len, chop_cells
from textual.content import Content

from engine.common.text import Untrusted, mark, visible
from engine.common.unicode.repertoire import outside, repeated

Text: TypeAlias = "str | Untrusted"
Part: TypeAlias = "Text | tuple[Text, str]"
"""Text, or text and its style: words that are theme colours (`risk-high`, `muted`) or `bold`, `italic` …"""

LONGEST = 2000
"""Characters of one text of an agent in a panel; code has its own view, and is never cut."""

_ATTRIBUTES = frozenset({"bold", "italic", "underline", "reverse", "dim", "strike", "not"})


_WORD = re.compile(r"\S+\s*|\s+")


def visible_text(text: Text, *, keep: str = "") -> str:
    """Return `text` with every character outside the repertoire of the display as a mark.

    Of one such character many times in a row, two marks are displayed and the others counted.
    """
    raw = text.text if isinstance(text, Untrusted) else text
    if raw.isascii():
        return visible(raw, keep=keep)
    if outside().search(raw) is None:
        return raw
    first, *pieces = repeated().split(raw)
    rest = zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
    return visible(first, keep=keep) + "".join(
        f"{mark(one) * 2}⟨+{len(more)}⟩{visible(after, keep=keep)}" for one, more, after in rest
    )


def content(*parts: Part, keep: str = "") -> Content:
    """Return Textual content of the parts; nothing in them is ever read as markup."""
    return Content.assemble(*(_styled(part, keep) for part in parts), strip_control_codes=False)


def paragraphs(*lines: Iterable[Part]) -> Content:
    """Return content of several lines, each given by its parts."""
    return Content("\n").join([content(*line) for line in lines])


def wrapped_parts(parts: Iterable[Part], cells: int) -> list[list[tuple[str, str]]]:
    """Return parts as lines of at most `cells`, broken after blanks, and within a word only where it must."""
    lines: list[list[tuple[str, str]]] = [[]]
    left = cells
    for part in parts:
        text, style = part if isinstance(part, tuple) else (part, "")
        kept = ""
        for word in _words(_bounded(text, ""), cells):
            if cell_len(word.rstrip()) > left:
                lines[-1].append((kept, style))
                lines.append([])
                kept, left = "", cells
            kept += word
            left -= cell_len(word)
        lines[-1].append((kept, style))
    return lines


def hanging(parts: Iterable[Part], cells: int) -> list[list[Part]]:
    """Return a label and what is said of it as lines of at most `cells`; all of it stays beside the label.

    A label is a first part that ends in two blanks. What has none is returned as it is.
    """
    line = list(parts)
    label = line[0][0] if line and isinstance(line[0], tuple) else ""
    width = cell_len(label) if isinstance(label, str) and label.endswith("  ") else 0
    if not 0 < width <= cells // 2:
        return [line]
    first, *more = wrapped_parts(line[1:], cells - width)
    below: list[list[Part]] = [[" " * width, *each] for each in more]
    return [[line[0], *first], *below]


def first_line(text: Text) -> str:
    """Return the first line of `text` that is not blank, made visible."""
    raw = text.text if isinstance(text, Untrusted) else text
    return visible_text(next((line.strip() for line in raw.split("\n") if line.strip()), ""))


def clip(text: Text, cells: int) -> str:
    """Return `text` made visible and cut to `cells`, with `…` where something is missing."""
    line = visible_text(text)
    if cell_len(line) <= cells:
        return line
    kept, used = [], 0
    for character in line:
        used += cell_len(character)
        if used > cells - 1:
            break
        kept.append(character)
    return "".join(kept) + "…" if cells > 0 else ""


def pad(text: Text, cells: int) -> str:
    """Return `text` clipped and padded to exactly `cells`."""
    line = clip(text, cells)
    return line + " " * (cells - cell_len(line))


def _words(text: str, cells: int) -> Iterable[str]:
    """Yield the words of a text with the blanks after them, those that are too wide in pieces."""
    for word in _WORD.findall(text):
        yield from [word] if cell_len(word.rstrip()) <= cells else chop_cells(word, cells)


def _styled(part: Part, keep: str) -> str | tuple[str, str]:
    if isinstance(part, tuple):
        return _bounded(part[0], keep), " ".join(_word(word) for word in part[1].split())
    return _bounded(part, keep)


def _bounded(text: Text, keep: str) -> str:
    if not isinstance(text, Untrusted) or len(text.text) <= LONGEST:
        return visible_text(text, keep=keep)
    more = len(text.text) - LONGEST
    return f"{visible_text(text.text[:LONGEST], keep=keep)} … and {more:,} more characters"


def _word(word: str) -> str:
    return word if word in _ATTRIBUTES else "$" + word
