"""Values that are named as secrets: `DB_PASS=…`, `"apiKey": "…"`, `password: …`, `Cookie: …`, `--token …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from engine.common.caches.short_cache import short_cache
from engine.policy.output.masking.formats import entropy, name_words, passes
from engine.policy.output.masking.spans import MaskedSpan

MOST_VALUE = 8000
"""Characters of a value."""
LOOKED_AT = 200
"""Characters that tell whether a value looks drawn by chance."""
_NAME = re.compile(
    r"(?<![A-Za-z0-9_.-])(?P<name>-{0,2}[A-Za-z_][A-Za-z0-9_.-]{0,100}+)"
    r"(?P<close>[\"'`]?\]{0,2})(?P<sign>[ \t]{0,40}+\s{0,3}(?:=>|:=|[=:,])[ \t]{0,40}+\s{0,3}|>|\s)"
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_QUOTED = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.){{0,{MOST_VALUE}}}+", re.DOTALL) for quote in "\"'`"}
_LINE = re.compile(rf"[^\n]{{1,{MOST_VALUE}}}+")
_WORD = re.compile(rf"[^\s\"'`;&<>)}}]{{1,{MOST_VALUE}}}+")
_NETRC = re.compile(r"\b(?:machine|login|default|account)\s")
_SPLIT = {("pass", "word"), ("pass", "phrase"), ("pass", "wd")}
_PREFIX = re.compile(r"[rRbBuUfF]{0,2}(?=[\"'`])")
_BLOCK = re.compile(r"[|>][+-]?[ \t]{0,8}\r?\n((?:[ \t]{1,40}+[^\n]{1,4000}+(?:\n|\Z)){1,64}+)")
_PLACEHOLDER = re.compile(
    r"(?i)[*•x.]{2,}|<[^>]*>?|\$\{?\w+\}?.{0,3}|%\(?\w+\)?s?|\{\{?[\w. ]*\}?\}?"
    r"|[\w.]+[(\[].*|self\.[\w.]+|(?:os|process|import)\.[\w.]+|.?masked:.*"
)


class NameStrength(StrEnum):
    """What a name says about its value."""

    NOTHING = "nothing"
    WEAK = "may be a secret: where it looks drawn by chance"
    STRONG = "is a secret"
    HEADER = "is a secret to the end of its line"


@short_cache(4096)
def strength_of(name: str) -> NameStrength:
    """Return what a name says about its value, by its last words: `dbPassword`, `GITHUB_TOKEN`, `api-key`."""
    if name.lower().lstrip("-") in name_words().headers:
        return NameStrength.HEADER
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and (words[-1].isdecimal() or _is_extra(words)):
        words.pop()
    return _says(words) or NameStrength.NOTHING


def _is_extra(words: list[str]) -> bool:
    """Return whether the word at the end says nothing about what the value is."""
    return words[-1] in name_words().after and _says(words[:-1]) is not None


def _says(words: list[str]) -> NameStrength | None:
    known = name_words()
    before, last = ("", "", *words)[-2:]
    if (last == "key" and before in known.key_of) or (last == "token" and before in known.token_of):
        return NameStrength.STRONG
    if last in known.secret or (before and last == "pass") or (before, last) in _SPLIT:
        return NameStrength.STRONG
    if last.endswith(("password", "passwd", "apikey")):
        return NameStrength.STRONG
    return NameStrength.WEAK if last in known.weak else None


def assignments(text: str) -> Iterator[MaskedSpan]:
    """Yield the values of names that say that they are secret."""
    place = 0
    while found := _NAME.search(text, place):
        place = found.end()
        strength = strength_of(found["name"])
        span = _value(text, found, strength) if strength is not NameStrength.NOTHING else None
        if span and _is_secret(text[slice(*span)], strength, found["name"]):
            yield MaskedSpan(*span, "secret")
            place = span[1]


def _value(text: str, found: re.Match[str], strength: NameStrength) -> tuple[int, int] | None:
    """Return where the value of a name lies."""
    sign, start = found["sign"].strip(), found.end()
    if not sign and not _is_spaced(text, found):
        return None
    opener = text[found.start() - 1 : found.start()]
    prefix = _PREFIX.match(text, start)
    if prefix:
        inner = prefix.end() + 1
        body = _QUOTED[text[prefix.end()]].match(text, inner)
        return (inner, body.end()) if body and body.end() > inner else None
    if sign == "," or (sign == ">" and opener != "<"):
        return None
    if block := _BLOCK.match(text, start):
        return block.span(1)
    to_the_end = strength is NameStrength.HEADER or (sign in {"=", ":"} and _begins_line(text, found.start()))
    body = (_LINE if to_the_end else _WORD).match(text, start)
    if body is None:
        return None
    return start, _end(text, start, body.end(), opener if opener in {'"', "'"} and not found["close"] else "")


def _is_spaced(text: str, found: re.Match[str]) -> bool:
    """Return whether a blank may stand between name and value: `--password x`, `password x` of netrc."""
    if found["name"].startswith("--"):
        return True
    before = text[max(0, found.start() - 200) : found.start()]
    return found["name"] == "password" and _NETRC.search(before) is not None


def _end(text: str, start: int, end: int, quote: str) -> int:
    """Return where a value ends that is not quoted itself: at the quotation mark that its name came after."""
    close = text.find(quote, start, end) if quote else -1
    end = close if close >= 0 else end
    return start + len(text[start:end].rstrip(" \t\r,"))


def _begins_line(text: str, place: int) -> bool:
    """Return whether nothing but blanks, `export`, or the mark of a quoted line comes before in the line."""
    line = max(text.rfind("\n", max(0, place - 41), place) + 1, place - 41)
    return (
        place - line <= 40
        and re.fullmatch(r"[\s>|+#*-]*(?:export |set |ENV |declare -x )?", text[line:place]) is not None
    )


def _is_secret(value: str, strength: NameStrength, name: str) -> bool:
    plain = value.strip().strip("\"'")
    if len(plain) < 2 or plain.lower() in name_words().placeholders or _PLACEHOLDER.fullmatch(plain[:200]):
        return False
    if strength is not NameStrength.WEAK:
        return True
    upper = name.isupper() and "_" in name
    word = re.split(r"[\s;,]", plain[:LOOKED_AT], maxsplit=1)[0]
    return len(word) >= (6 if upper else 8) and (upper or (passes("mixed", word) and entropy(word) >= 2.5))
