"""Regular expressions that can take exponential time, found in their own syntax tree."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

from engine.analysis.regex_ambiguity import splits_differently
from engine.common.caches.short_cache import short_cache

ops: Any = import_module("re._constants")
parser: Any = import_module("re._parser")
_MAX_PATTERN = 2000
_MANY = 20


@short_cache(512)
def explodes(pattern: str) -> bool:
    """Whether a repeated part of `pattern` can match the same text in many ways."""
    if (
        len(pattern) > _MAX_PATTERN
        or not any(repeat in pattern for repeat in ("+", "*", "{"))
        or "(" not in pattern
    ):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parser.parse(pattern)
        return _ambiguous(tree, inside=False)
    except Exception:  # no regular expression
        return False


def _ambiguous(tree: Any, *, inside: bool) -> bool:
    return any(_ambiguous_part(tree, op, argument, inside) for op, argument in tree)


def _ambiguous_part(tree: Any, op: Any, argument: Any, inside: bool) -> bool:
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        _, most, body = argument
        many = most > _MANY
        nested = (many and inside and _free(tree, argument)) or _ambiguous(body, inside=inside or many)
        return nested or (many and splits_differently(body))
    if op is ops.SUBPATTERN:
        return _ambiguous(argument[-1], inside=inside)
    if op is ops.BRANCH:
        branches = argument[1]
        return (inside and _overlapping(branches)) or any(_ambiguous(one, inside=inside) for one in branches)
    return op in (ops.ASSERT, ops.ASSERT_NOT) and _ambiguous(argument[1], inside=False)


def _free(tree: Any, repeated: Any) -> bool:
    """Whether nothing else in the repeated part keeps its turns apart: `(a+)+`, but not `(a+b)+`."""
    return all(item is repeated or _yields(kind, item, repeated) for kind, item in tree)


def _yields(kind: Any, item: Any, repeated: Any) -> bool:
    """Whether a neighbour may be empty, or may match what the repeated part matches: `(a+.)+`, `(a+a)+`."""
    if kind in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        return bool(item[0] == 0)
    return kind is ops.ANY or repr([(kind, item)]) == repr(repeated[2].data)


def _overlapping(branches: Any) -> bool:
    """Whether two branches are the same: `(a|a)*`."""
    texts = [repr(branch.data) for branch in branches]
    return len(texts) != len(set(texts))
