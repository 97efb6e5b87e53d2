"""Syntax trees of JavaScript and shell, for comparing code."""

from __future__ import annotations

import re

import tree_sitter
import tree_sitter_bash
import tree_sitter_javascript

from engine.models import Language

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_LANGUAGES = {
    Language.JAVASCRIPT: tree_sitter.Language(tree_sitter_javascript.language()),
    Language.SHELL: tree_sitter.Language(tree_sitter_bash.language()),
}


def parse_source(source: bytes, language: Language) -> tree_sitter.Node:
    """Return the root of the syntax tree of a source; its nodes count the bytes of that source.

    Shell is parsed with a letter for each byte beyond ASCII: its grammar looks characters up in C's table of
    256, and reads what lies beyond it, where a far one ends the process. To bash, too, they are no blanks.
    """
    if language is Language.SHELL:
        source = _BEYOND_ASCII.sub(b"x", source)
    return tree_sitter.Parser(_LANGUAGES[language]).parse(source).root_node
