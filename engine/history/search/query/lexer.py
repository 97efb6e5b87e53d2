"""Cuts a query into tokens: parentheses, `AND`, `OR`, `NOT`, a minus, and terms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from engine.history.search.query.errors import QueryError

LONGEST = 1000
"""A longer query is refused, with where it is too long."""
_UNFIT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters that are no white space, and halves of characters: nothing that SQLite looks for."""
_FIELD = re.compile(r"([A-Za-z_][A-Za-z_.]*):")
_WORDS = {"AND": "and", "OR": "or", "NOT": "not"}


class TokenKind(Enum):
    """What a token is."""

    OPEN = auto()
    CLOSE = auto()
    AND = auto()
    OR = auto()
    NOT = auto()
    TERM = auto()


@dataclass(frozen=True, slots=True)
class Letter:
    """One character of a value; a literal one was quoted or escaped, and means only itself."""

    character: str
    literal: bool
    position: int


@dataclass(frozen=True, slots=True)
class QueryToken:
    """A token and where it begins. A term has a field, if one was written, and a value."""

    kind: TokenKind
    position: int
    field: str | None = None
    value: tuple[Letter, ...] = ()
    value_position: int = 0


def tokens(text: str) -> tuple[QueryToken, ...]:
    """Return the tokens of a query.

    Raises:
        QueryError: it is too long, or has a control character or an unclosed quotation mark.
    """
    if len(text) > LONGEST:
        raise QueryError(text, LONGEST, f"The query is longer than {LONGEST} characters")
    if unfit := _UNFIT.search(text):
        problem = f"The query has a control character, U+{ord(unfit[0]):04X}"
        raise QueryError(text, unfit.start(), problem, hint="Delete it")
    found: list[QueryToken] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        token, position = _token(text, position)
        found.append(token)
    return tuple(found)


def _token(text: str, start: int) -> tuple[QueryToken, int]:
    sign = {"(": TokenKind.OPEN, ")": TokenKind.CLOSE, "-": TokenKind.NOT}.get(text[start])
    if sign is not None:
        return QueryToken(sign, start), start + 1
    named = _FIELD.match(text, start)
    at = named.end() if named else start
    letters, end = _value(text, at)
    word = _WORDS.get(text[start:end])
    if word and not named:
        return QueryToken(TokenKind[word.upper()], start), end
    return QueryToken(TokenKind.TERM, start, named[1] if named else None, letters, at), end


def _value(text: str, start: int) -> tuple[tuple[Letter, ...], int]:
    """Read a value up to white space, or to a parenthesis that was not opened within it."""
    letters: list[Letter] = []
    position, depth = start, 0
    while position < len(text) and not text[position].isspace():
        character = text[position]
        if character == '"':
            quoted, position = _quoted(text, position)
            letters += quoted
            continue
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        letters.append(Letter(character, literal=False, position=position))
        position += 1
    return tuple(letters), position


def _quoted(text: str, start: int) -> tuple[list[Letter], int]:
    letters: list[Letter] = []
    position = start + 1
    while position < len(text) and text[position] != '"':
        position += text[position] == "\\" and position + 1 < len(text)
        letters.append(Letter(text[position], literal=True, position=position))
        position += 1
    if position >= len(text):
        raise QueryError(text, start, "Unclosed quotation mark", hint='Write text:"like this"')
    return letters, position + 1
