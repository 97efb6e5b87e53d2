"""Whether a repeated choice of a regular expression can split the same text in several ways: `(a|aa)+`.

The words of the choice are taken as sets of characters. Where they are no unique code, by the test of
Sardinas and Patterson, an expression that fails tries every way to split a text, exponentially many.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

ops: Any = import_module("re._constants")
_CHARACTERS = 129
_OTHER = 128
"""Stands for every character beyond ASCII."""
_ALL = frozenset(range(_CHARACTERS))
_DIGITS = frozenset(range(48, 58))
_SPACES = frozenset((9, 10, 11, 12, 13, 32, _OTHER))
_WORDS = _DIGITS | frozenset(range(65, 91)) | frozenset(range(97, 123)) | {95, _OTHER}
_CATEGORIES = {
    "CATEGORY_DIGIT": _DIGITS,
    "CATEGORY_NOT_DIGIT": _ALL - _DIGITS,
    "CATEGORY_SPACE": _SPACES,
    "CATEGORY_NOT_SPACE": _ALL - _SPACES | {_OTHER},
    "CATEGORY_WORD": _WORDS,
    "CATEGORY_NOT_WORD": _ALL - _WORDS | {_OTHER},
}
_MAX_WORDS = 24
_MAX_LENGTH = 12
_MAX_ROUNDS = 60
Word = tuple[frozenset[int], ...]


class _UnknownError(Exception):
    """The expression holds what is not looked at: anchors, references, long repeats."""


def splits_differently(body: Any) -> bool:
    """Whether a repetition of `body`, in the parser's form, can match one text in several ways."""
    try:
        words = [word for word in _sequence(body) if word]
    except _UnknownError:
        return False
    return len(words) > 1 and _is_no_code(words)


def _sequence(items: Any) -> list[Word]:
    words: list[Word] = [()]
    for op, argument in items:
        ends = _item(op, argument)
        words = [(*word, *end) for word in words for end in ends]
        if len(words) > _MAX_WORDS or any(len(word) > _MAX_LENGTH for word in words):
            raise _UnknownError
    return words


def _item(op: Any, argument: Any) -> list[Word]:
    if op is ops.SUBPATTERN:
        return _sequence(argument[-1])
    if op is ops.BRANCH:
        return [word for branch in argument[1] for word in _sequence(branch)]
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        least, most, body = argument
        if most > 4:
            raise _UnknownError
        return [word for count in range(least, most + 1) for word in _sequence(list(body) * count)]
    return [(_characters(op, argument),)]


def _characters(op: Any, argument: Any) -> frozenset[int]:
    if op is ops.LITERAL:
        return frozenset((min(argument, _OTHER),))
    if op is ops.NOT_LITERAL:
        return _ALL - {argument}
    if op is ops.ANY:
        return _ALL - {10}
    if op is ops.RANGE:
        return frozenset(range(argument[0], min(argument[1], _OTHER) + 1)) or frozenset((_OTHER,))
    if op is ops.CATEGORY:
        return _CATEGORIES[str(argument)]
    if op is ops.IN:
        return _set(argument)
    raise _UnknownError


def _set(members: Any) -> frozenset[int]:
    negated = bool(members) and members[0][0] is ops.NEGATE
    chosen = frozenset().union(*(_characters(*member) for member in members[negated:]))
    return (_ALL - chosen) | {_OTHER} if negated else chosen


def _is_no_code(words: list[Word]) -> bool:
    if any(_same(one, other) for at, one in enumerate(words) for other in words[:at]):
        return True
    tails = set(_tails(words, words, distinct=True))
    seen: set[Word] = set()
    for _ in range(_MAX_ROUNDS):
        if any(_same(tail, word) for tail in tails for word in words):
            return True
        seen |= tails
        tails = {*_tails(tails, words), *_tails(words, tails)} - seen
        if not tails or len(seen) > _MAX_ROUNDS:
            return False
    return False


def _same(one: Word, other: Word) -> bool:
    return len(one) == len(other) and all(a & b for a, b in zip(one, other, strict=True))


def _tails(heads: Iterable[Word], words: Iterable[Word], *, distinct: bool = False) -> Iterable[Word]:
    """Yield what is left of each of `words` after one of `heads`."""
    for head in heads:
        for word in words:
            if len(word) > len(head) and _same(head, word[: len(head)]) and not (distinct and head is word):
                yield word[len(head) :]
