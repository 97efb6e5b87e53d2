"""Completes the word at the cursor: from the names of the code, then from the words of its language."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterator

from engine.models import Language

SHORTEST = 2
"""Characters of a word that is completed."""
READ_CHARACTERS = 64 * 1024
"""Longer code is completed from its beginning."""
BEGUN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*$")

JAVASCRIPT = (
    "async", "await", "break", "case", "catch", "class", "const", "console", "continue", "default",
    "delete", "document", "else", "export", "extends", "finally", "for", "function", "if", "import",
    "instanceof", "let", "module", "new", "null", "of", "process", "require", "return", "static", "super",
    "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void", "while", "yield",
    "Array", "Boolean", "Date", "Error", "JSON", "Map", "Math", "Number", "Object", "Promise", "RegExp",
    "Set", "String", "Symbol", "parseFloat", "parseInt", "setTimeout",
)  # fmt: skip
SHELL = (
    "awk", "basename", "case", "cat", "cut", "date", "dirname", "do", "done", "echo", "elif", "else",
    "esac", "exit", "export", "find", "for", "function", "grep", "head", "if", "local", "printf", "read",
    "return", "sed", "seq", "set", "shift", "sleep", "sort", "tail", "test", "then", "tr", "uniq",
    "unset", "until", "while", "wc", "xargs",
)  # fmt: skip
WORDS = {
    Language.PYTHON: (*keyword.kwlist, *(name for name in dir(builtins) if not name.startswith("_"))),
    Language.JAVASCRIPT: JAVASCRIPT,
    Language.SHELL: SHELL,
}


def completion(code: str, before: str, after: str, language: Language) -> str:
    """Return what completes the word that ends `before` the cursor; empty where nothing does.

    `after` is the rest of the line: inside a word nothing is completed. The most frequent name wins, and of
    equally frequent ones the shortest.
    """
    begun = BEGUN.search(before)
    if begun is None or len(begun[0]) < SHORTEST or re.match(r"[\w$]", after):
        return ""
    prefix = begun[0]
    known = Counter(_words(code[:READ_CHARACTERS], prefix))
    words = known or Counter(word for word in WORDS[language] if word.startswith(prefix) and word != prefix)
    best = min(words, key=lambda word: (-words[word], len(word), word), default=prefix)
    return best[len(prefix) :]


def _words(code: str, prefix: str) -> Iterator[str]:
    """Yield the longer words that begin with a prefix, as often as they occur."""
    for found in re.finditer(re.escape(prefix) + r"[A-Za-z0-9_$]{1,60}", code):
        before = code[found.start() - 1 : found.start()]
        if not (before.isalnum() or before in {"_", "$"}):
            yield found[0]
