"""From the text of a query to its tree.

```
query = and ("OR" and)*      and = not (["AND"] not)*      not = ("-" | "NOT") not | "(" query ")" | term
```
"""

from __future__ import annotations

from datetime import datetime

from engine.history.search.query.errors import QueryError, suggestion
from engine.history.search.query.fields import ALIASES, FIELDS
from engine.history.search.query.lexer import QueryToken, TokenKind, tokens
from engine.history.search.query.tree import EVERYTHING, FieldMatch, Not, Query, Range, Value, all_of, any_of
from engine.history.search.query.values import ValueReader

DEEPEST = 20
"""So many parentheses and negations at most are within each other."""
MOST_TERMS = 100


def parse(text: str, now: datetime) -> Query:
    """Return the tree of a query; moments such as `7d` are counted back from `now`.

    Raises:
        QueryError: it cannot be understood; the error says where, and what was probably meant.
    """
    return _Parser(text, now).query()


class _Parser:
    def __init__(self, text: str, now: datetime) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._next = 0
        self._values = ValueReader(text, now)

    def query(self) -> Query:
        if not self._tokens:
            return EVERYTHING
        terms = [token for token in self._tokens if token.kind is TokenKind.TERM]
        if len(terms) > MOST_TERMS:
            raise self._error(terms[MOST_TERMS].position, f"More than {MOST_TERMS} terms")
        found = self._or(0)
        if rest := self._peek():
            hint = 'Write "f(x)" in quotation marks to search for parentheses'
            raise self._error(rest.position, "A parenthesis is closed that was not opened", hint)
        return found

    def _or(self, depth: int) -> Query:
        parts = [self._and(depth)]
        while self._take(TokenKind.OR):
            parts.append(self._and(depth))
        return any_of(parts)

    def _and(self, depth: int) -> Query:
        parts = [self._not(depth)]
        while True:
            joined = self._take(TokenKind.AND)
            following = self._peek()
            if following is None or following.kind in {TokenKind.OR, TokenKind.CLOSE}:
                if joined:
                    self._not(depth)
                return all_of(parts)
            parts.append(self._not(depth))

    def _not(self, depth: int) -> Query:
        token = self._peek()
        if depth > DEEPEST:
            position = token.position if token else len(self._text)
            raise self._error(position, f"More than {DEEPEST} levels of parentheses")
        if token is None:
            raise self._error(len(self._text), "The query ends where a term should follow", "Write risk:high")
        self._next += 1
        if token.kind is TokenKind.NOT:
            return Not(self._not(depth + 1))
        if token.kind is TokenKind.OPEN:
            return self._group(token, depth)
        if token.kind is TokenKind.TERM:
            return self._term(token)
        shown = self._text[token.position : token.position + 3].split()[0]
        raise self._error(token.position, f"A term should stand here, not {shown!r}", f'Or write "{shown}"')

    def _group(self, opened: QueryToken, depth: int) -> Query:
        found = self._or(depth + 1)
        if not self._take(TokenKind.CLOSE):
            raise self._error(opened.position, "This parenthesis is not closed", "Write ) at its end")
        return found

    def _term(self, token: QueryToken) -> FieldMatch:
        name = (token.field or "text").lower()
        name = ALIASES.get(name, name)
        if name not in FIELDS:
            problem = f"Unknown field {name[:40]!r}"
            raise self._error(token.position, problem, suggestion(name, (*FIELDS, *ALIASES)))
        values = self._values.values(name, token.value, token.value_position)
        return _submitted(name, values) if name in {"since", "until"} else FieldMatch(name, values)

    def _peek(self) -> QueryToken | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self, kind: TokenKind) -> bool:
        token = self._peek()
        taken = token is not None and token.kind is kind
        self._next += taken
        return taken

    def _error(self, position: int, problem: str, hint: str = "") -> QueryError:
        return QueryError(self._text, position, problem, hint=hint)


def _submitted(name: str, values: tuple[Value, ...]) -> FieldMatch:
    """Return when it was submitted: `since` is from a moment's beginning on, `until` before it."""
    starts = tuple(value.low for value in values if isinstance(value, Range))
    if name == "since":
        return FieldMatch("submitted", tuple(Range(low=start) for start in starts))
    return FieldMatch("submitted", tuple(Range(high=start, high_open=True) for start in starts))
