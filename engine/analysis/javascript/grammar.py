"""JavaScript source to syntax tree."""

from __future__ import annotations

from functools import cache

import tree_sitter_javascript
from tree_sitter import Language, Parser

from engine.analysis.syntax import Tree


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_javascript.language()))


def parse(source: str) -> Tree:
    """Return the tree of `source`. NUL, which marks what is not known, is replaced."""
    return Tree(_parser(), source.replace("\x00", "\x1a"))
