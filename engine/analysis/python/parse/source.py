"""Parses source into a syntax tree; where it does not parse, the part that does."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from engine.analysis.python.parse.py312_compat import older

_MAX_ATTEMPTS = 12


@contextmanager
def calm() -> Iterator[None]:
    """Parse without warnings about the code's escapes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def parse(source: str, *, keep: bool) -> ast.Module:
    """Return the syntax tree, of newer Pythons' syntax too; `keep` it for whoever reads the same text next.

    Code within code is not kept: there may be so much of it that the tree of the whole would be lost.

    Raises SyntaxError, ValueError, RecursionError or MemoryError.
    """
    source = source.removeprefix("\ufeff")
    try:
        return exact_tree(source) if keep else ast.parse(source)
    except SyntaxError:
        translated = older(source)
        if translated == source:
            raise
        tree = _attempt(translated)
        if tree is None:
            raise
        return tree


@lru_cache(maxsize=4)
def exact_tree(source: str) -> ast.Module:
    """Return the syntax tree of what Python 3.11 parses; nobody changes it. `forget_trees` frees it.

    Raises SyntaxError, ValueError, RecursionError or MemoryError.
    """
    return ast.parse(source)


def forget_trees() -> None:
    """Free the trees that are kept for the next reader of the same text."""
    exact_tree.cache_clear()


def parsable_part(source: str, error: SyntaxError | ValueError) -> tuple[ast.Module | None, int]:
    """Return the tree of the longest part that parses, and how many lines were put before or cut off from it.

    Tried are: the code dedented, within a function, and cut before the line of each error.
    """
    source = source.removeprefix("\ufeff")
    for candidate in (textwrap.dedent(source), "if 1:\n" + source):
        tree = _attempt(candidate)
        if tree is not None:
            return tree, 0 if candidate[:5] != "if 1:" else 1
    return _prefix(source, error), 0


def _attempt(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _prefix(source: str, error: SyntaxError | ValueError) -> ast.Module | None:
    lines = source.split("\n")
    end = min(getattr(error, "lineno", None) or 1, len(lines)) - 1
    for _ in range(_MAX_ATTEMPTS):
        if end <= 0:
            return None
        try:
            return ast.parse("\n".join(lines[:end]))
        except SyntaxError as again:
            end = min(end - 1, (again.lineno or end) - 1)
        except (ValueError, RecursionError, MemoryError):
            end //= 2
    return None
