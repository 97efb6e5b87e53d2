"""JavaScript source to syntax tree."""

from __future__ import annotations

from functools import cache, lru_cache

import tree_sitter_javascript
from tree_sitter import Language, Parser

from engine.analysis.syntax import Tree


@cache
def _javascript() -> Language:
    return Language(tree_sitter_javascript.language())


@cache
def _parser() -> Parser:
    return Parser(_javascript())


@lru_cache(maxsize=4)
def parse(source: str) -> Tree:
    """Return the tree of `source`. NUL, which marks what is not known, is replaced.

    It is kept for the next reader of the same text, until `forget_trees`.
    """
    return Tree(_parser(), source.replace("\x00", "\x1a"))


def forget_trees() -> None:
    """Free the trees that are kept."""
    parse.cache_clear()
