"""Names that look like other names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType

from engine.analysis.positions import Lines
from engine.analysis.text.prose import Prose
from engine.analysis.text.rules import FOLDED, HOMOGLYPH, LOOKALIKE
from engine.models import Level, Span, Violation

MAX_NAMES = 2000
"""How many different names are looked at."""
_NAME = re.compile(r"[^\W\d]\w*")
_PART = re.compile(r"[^\W\d_]+")
_OPERATORS = frozenset("ǃǀǁǂʹʺˈˌːˑꞌꞏꓸꓹꓺ᎐")
"""Letters that look like `!`, `|`, quotes, colons and commas."""


@cache
def _tables(name: str) -> ModuleType:
    """Return a module of the tables of UTS #39: a megabyte that only code beyond ASCII needs."""
    return import_module(f"confusable_homoglyphs.{name}")


def check(source: str, lines: Lines, prose: Prose) -> Iterator[Violation]:
    """Yield names that mix alphabets, or read as others. Source: UTS #39, CVE-2021-42694."""
    if source.isascii():
        return
    seen: set[tuple[str, bool]] = set()
    for match in _NAME.finditer(source):
        if match[0].isascii():
            continue
        quoted = prose.covers(match.start())
        name = match[0][quoted and _is_escape(source, match.start()) :]
        if name.isascii() or (name, quoted) in seen or len(seen) > MAX_NAMES:
            continue
        seen.add((name, quoted))
        violation = _judged(name, lines.span(*match.span()), quoted=quoted)
        if violation is not None:
            yield violation


def _judged(name: str, span: Span, *, quoted: bool) -> Violation | None:
    if _OPERATORS & set(name):
        message = f"{name} has a letter that looks like an operator"
        return HOMOGLYPH.violation(span, message, severity=Level.MEDIUM if quoted else None)
    parts = [part for part in map(_letters, _PART.findall(name)) if not part.isascii()]
    if any(_is_mixed(part) for part in parts):
        severity = Level.MEDIUM if quoted else None
        return HOMOGLYPH.violation(span, f"{name} mixes alphabets: {_scripts(name)}", severity=severity)
    if quoted:
        return None
    folded = unicodedata.normalize("NFKC", name)
    if folded.isascii() and len(folded) > 2 and name.isidentifier():
        return FOLDED.violation(span, f"{name} is read as {folded}")
    if len(name) > 2 and parts and all(_reads_latin(part) for part in parts):
        return LOOKALIKE.violation(span, f"{name} reads as Latin letters but is {_scripts(name)}")
    return None


def _is_escape(source: str, start: int) -> bool:
    """Return whether the first letter belongs to an escape, such as the `n` of a line end."""
    before = source[max(start - 20, 0) : start]
    return source[start].isascii() and (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _letters(part: str) -> str:
    """Return a part without raised and lowered characters, which mathematics puts beside any letter."""
    return "".join(char for char in part if unicodedata.category(char) not in {"Lm", "No"})


def _is_mixed(part: str) -> bool:
    found = _tables("confusables").is_confusable(part, greedy=True, preferred_aliases=["latin", "common"])
    if not found:
        return False
    foreign = {entry["alias"] for entry in found}
    scripts = _aliases(part)
    if "LATIN" not in scripts or not foreign - {"LATIN", "COMMON", "INHERITED"}:
        return False
    return foreign != {"GREEK"} or len(part) > 3


def _reads_latin(part: str) -> bool:
    scripts = _aliases(part) - {"COMMON", "INHERITED"}
    if len(part) < 3 or len(scripts) != 1 or scripts & {"LATIN", "GREEK"}:
        return False
    found = _tables("confusables").is_confusable(part, greedy=True, preferred_aliases=["latin"])
    looks = {entry["character"] for entry in found or () if _has_ascii(entry["homoglyphs"])}
    return looks >= set(part)


def _has_ascii(homoglyphs: list[dict[str, str]]) -> bool:
    return any(len(entry["c"]) == 1 and entry["c"].isascii() and entry["c"].isalpha() for entry in homoglyphs)


def _aliases(text: str) -> set[str]:
    return set(_tables("categories").unique_aliases(text))


def _scripts(name: str) -> str:
    return ", ".join(sorted(alias.title() for alias in _aliases(name) - {"COMMON", "INHERITED"}))
