"""What could come at the cursor, and what is called there. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from console.explore.names.bindings import DOTTED, WORD, bindings
from console.explore.names.catalogue import CodeName, NameCatalogue
from engine.common.text import Untrusted
from engine.models import Language
from engine.models.code_names import NameKind

MOST = 200
SHORTEST = 2
"""Characters of a word that is completed where nothing stands before it."""
LOOK_BACK = 2000
"""Characters before the cursor in which a call begins."""
BEGUN = re.compile(rf"(?:({DOTTED}|[\"'\])}}])\.)?({WORD})?$")
IMPORTED = re.compile(rf"^\s*(?:import|from)\s+(?:{DOTTED}\s*,\s*)*((?:{WORD}\.)*)({WORD})?$")
FROM_IMPORTED = re.compile(rf"^\s*from\s+({DOTTED})\s+import\s+(?:\(?[\w\s,]*,\s*)?\(?({WORD})?$")
REQUIRED = re.compile(r"""(?:require\(|from\s+|import\()\s*["'](?:node:)?([\w/]{0,60})$""")
NO_CODE = {Language.PYTHON: "#", Language.SHELL: "#", Language.JAVASCRIPT: "//"}
AT_WORD = re.compile(rf"{DOTTED}$")
VALUES = {'"': "builtins.str", "'": "builtins.str", "]": "builtins.list", "}": "builtins.dict"}


@dataclass(frozen=True)
class Candidates:
    """What begins with `prefix`, the best first."""

    prefix: str = ""
    names: tuple[CodeName, ...] = ()


@dataclass(frozen=True)
class Call:
    """The call that the cursor is in: what is called, and the number of the argument."""

    name: CodeName
    argument: int


def candidates(code: str, before: str, catalogue: NameCatalogue) -> Candidates:
    """Return what could come after `before`, the part of the line before the cursor."""
    if before.lstrip().startswith(NO_CODE[catalogue.language]):
        return Candidates()
    found = _imported(before, catalogue)
    if found is None:
        found = _shell(before, catalogue) if catalogue.language is Language.SHELL else None
    if found is None:
        found = _used(code, before, catalogue)
    return found


def _imported(before: str, catalogue: NameCatalogue) -> Candidates | None:
    if catalogue.language is Language.JAVASCRIPT and (required := REQUIRED.search(before)):
        return _beginning(required[1], catalogue.modules())
    if catalogue.language is not Language.PYTHON:
        return None
    if of := FROM_IMPORTED.match(before):
        return _beginning(of[2] or "", catalogue.members(of[1], of[2] or ""))
    if module := IMPORTED.match(before):
        within = module[1].rstrip(".")
        names = catalogue.members(within) if within else catalogue.modules()
        return _beginning(module[2] or "", [each for each in names if each.kind == NameKind.MODULE])
    return None


def _shell(before: str, catalogue: NameCatalogue) -> Candidates:
    begun = re.search(r"(?:^|[|;&(]|\b(?:do|then|else|sudo|xargs)\s)\s*([\w-]{2,60})$", before)
    return _beginning(begun[1], catalogue.top(begun[1])) if begun else Candidates()


def _used(code: str, before: str, catalogue: NameCatalogue) -> Candidates:
    begun = BEGUN.search(before)
    if begun is None:
        return Candidates()
    owner, prefix = begun[1], begun[2] or ""
    if owner is None:
        own = _own_words(code, prefix, catalogue)
        return _beginning(prefix, [*own, *catalogue.top(prefix)]) if len(prefix) >= SHORTEST else Candidates()
    return _beginning(prefix, _members(code, owner, prefix, catalogue))


def _members(code: str, owner: str, prefix: str, catalogue: NameCatalogue) -> list[CodeName]:
    if len(owner) == 1 and not owner.isalpha() and owner != "_" and catalogue.language is Language.PYTHON:
        return catalogue.members(VALUES[owner], prefix) if owner in VALUES else []
    name = bindings(code, catalogue).qualified(owner)
    return catalogue.members(name, prefix) if name else []


def _own_words(code: str, prefix: str, catalogue: NameCatalogue) -> list[CodeName]:
    words = bindings(code, catalogue).words
    fitting = {word: stands for word, stands in words.items() if word.startswith(prefix)}
    return [_renamed(word, stands, catalogue.name(stands)) for word, stands in fitting.items()]


def _renamed(word: str, stands: str, known: CodeName | None) -> CodeName:
    if known is None:
        return CodeName(word, NameKind.VALUE, summary=Untrusted(stands))
    return CodeName(word, known.kind, known.signature, known.summary)


def _beginning(prefix: str, names: Iterable[CodeName]) -> Candidates:
    low = prefix.lower()
    fitting = {each.word: each for each in names if each.word.lower().startswith(low) and each.word != prefix}
    best = sorted(fitting, key=lambda each: (not each.startswith(prefix), each.isupper(), each.lower()))
    return Candidates(prefix, tuple(fitting[each] for each in best[:MOST]))


def called(code: str, before: str, catalogue: NameCatalogue) -> Call | None:
    """Return the call that the end of `before`, the text before the cursor, is inside."""
    depth, argument, text = 0, 0, before[-LOOK_BACK:]
    for at in range(len(text) - 1, -1, -1):
        sign = text[at]
        if sign in ")]}":
            depth += 1
        elif sign in "([{" and depth:
            depth -= 1
        elif sign in "[{" or (sign == "\n" and not depth and text[at - 1 : at] not in {",", "(", " "}):
            return None
        elif sign == "," and not depth:
            argument += 1
        elif sign == "(":
            return _call(code, text[:at], argument, catalogue)
    return None


def _call(code: str, before: str, argument: int, catalogue: NameCatalogue) -> Call | None:
    name = _named(code, before, catalogue)
    return Call(name, argument) if name is not None and name.signature else None


def at_cursor(code: str, line: str, column: int, catalogue: NameCatalogue) -> CodeName | None:
    """Return the name at a column of a line."""
    rest = re.match(r"[\w$]*", line[column:])
    return _named(code, line[: column + (rest.end() if rest else 0)], catalogue)


def _named(code: str, before: str, catalogue: NameCatalogue) -> CodeName | None:
    word = AT_WORD.search(before)
    if word is None:
        return None
    return catalogue.name(
        word[0] if catalogue.language is Language.SHELL else bindings(code, catalogue).qualified(word[0])
    )
