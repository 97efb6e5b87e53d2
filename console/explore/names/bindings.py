"""What the words of a program stand for, by its imports and assignments. Pure; a guess, for display alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from console.explore.names.catalogue import NameCatalogue
from engine.models import Language
from engine.models.code_names import NameKind

READ_CHARACTERS = 64 * 1024
WORD = r"[A-Za-z_$][\w$]{0,60}"
DOTTED = rf"{WORD}(?:\.{WORD}){{0,6}}"
IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n#;]{1,300})", re.MULTILINE)
FROM = re.compile(rf"^[ \t]*from[ \t]+({DOTTED})[ \t]+import[ \t]+\(?([^\n#;)]{{1,300}})", re.MULTILINE)
AS = re.compile(rf"({DOTTED})(?:[ \t]+as[ \t]+({WORD}))?")
REQUIRE = re.compile(
    rf"\b(?:const|let|var)\s{{1,3}}({WORD}|\{{[^}}\n]{{1,300}}\}})\s{{0,3}}=\s{{0,3}}(?:await\s{{1,3}})?"
    r"""(?:require|import)\(\s{0,3}["'](?:node:)?([\w/]{1,60})["']\s{0,3}\)"""
)
ES_IMPORT = re.compile(
    rf"""\bimport\s{{1,3}}(?:\*\s{{1,3}}as\s{{1,3}})?({WORD}|\{{[^}}\n]{{1,300}}\}})"""
    r"""\s{1,3}from\s{1,3}["'](?:node:)?([\w/]{1,60})["']"""
)
ASSIGNED = re.compile(
    rf"^[ \t]*(?:(?:const|let|var)[ \t]+)?({WORD})(?:[ \t]*:[^=\n]{{1,60}})?[ \t]*=[ \t]*"
    rf"(?:new[ \t]+)?(?:({DOTTED})\(|([\"'\[{{\dfb]))",
    re.MULTILINE,
)
WITH = re.compile(rf"\bwith[ \t]+({DOTTED})\([^\n]{{0,200}}\)[ \t]+as[ \t]+({WORD})")
RESULT = re.compile(r"-> ['\"]?([A-Za-z_][\w.]{0,80})")
LITERALS = {
    Language.PYTHON: {'"': "builtins.str", "'": "builtins.str", "f": "builtins.str", "b": "builtins.bytes",
                      "[": "builtins.list", "{": "builtins.dict"},
    Language.JAVASCRIPT: {'"': "String.prototype", "'": "String.prototype", "[": "Array.prototype"},
    Language.SHELL: {},
}  # fmt: skip
RESULTS = {"builtins.open": "io.TextIOWrapper", "re.compile": "re.Pattern", "re.match": "re.Match",
           "re.search": "re.Match", "numpy.array": "numpy.ndarray", "numpy.zeros": "numpy.ndarray",
           "numpy.ones": "numpy.ndarray", "numpy.arange": "numpy.ndarray", "numpy.linspace": "numpy.ndarray",
           "sqlite3.connect": "sqlite3.Connection", "pathlib.Path.open": "io.TextIOWrapper"}  # fmt: skip
"""Results of functions that do not say them."""


@lru_cache(maxsize=2)
def bindings(code: str, catalogue: NameCatalogue) -> Bindings:
    """Return what the words of a program stand for; of the same program it is worked out once."""
    return Bindings(code, catalogue)


class Bindings:
    """What each word stands for, as a qualified name of the catalogue."""

    def __init__(self, code: str, catalogue: NameCatalogue) -> None:
        self._catalogue = catalogue
        text = code[:READ_CHARACTERS]
        self.words = dict(_imports(text, catalogue.language))
        for word, called, literal in ASSIGNED.findall(text):
            stands = self._result(called) if called else LITERALS[catalogue.language].get(literal, "")
            if stands and not (literal in {"f", "b"} and not _quoted(text, word, literal)):
                self.words[word] = stands
        for called, word in WITH.findall(text):
            if stands := self._result(called):
                self.words[word] = stands

    def qualified(self, dotted: str) -> str:
        """Return the qualified name behind a dotted word; empty where it is not known."""
        head, _, rest = dotted.partition(".")
        for start in (self.words.get(head, ""), f"builtins.{head}", head):
            name = f"{start}.{rest}" if rest else start
            if start and self._catalogue.has(name):
                return name if head in self.words or not self._is_module(start) else ""
        return ""

    def _is_module(self, name: str) -> bool:
        """Return whether a name is a module, which nobody can use who has not imported it."""
        found = self._catalogue.name(name)
        return found is not None and found.kind == NameKind.MODULE

    def _result(self, called: str) -> str:
        name = self.qualified(called)
        found = self._catalogue.name(name)
        if found is None or name in RESULTS:
            return RESULTS.get(name, "")
        if found.kind == NameKind.CLASS:
            members = f"{name}.prototype"
            return members if self._catalogue.has(members) else name
        said = RESULT.search(found.signature.text)
        owner = name.rpartition(".")[0]
        near = [f"{owner}.{said[1]}", f"{owner.partition('.')[0]}.{said[1]}", owner] if said else []
        if said and said[1] not in {"Self", owner.rpartition(".")[2]}:
            near.pop()
        near += [f"builtins.{said[1]}"] if said else []
        return next((each for each in near if self._catalogue.members(each)), "")


def _quoted(text: str, word: str, literal: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\s*=\s*{literal}[\"']", text) is not None


def _imports(text: str, language: Language) -> Iterator[tuple[str, str]]:
    if language is Language.PYTHON:
        yield from _python_imports(text)
    elif language is Language.JAVASCRIPT:
        for names, module in (*REQUIRE.findall(text), *ES_IMPORT.findall(text)):
            yield from _javascript_import(names, module)


def _python_imports(text: str) -> Iterator[tuple[str, str]]:
    for line in IMPORT.findall(text):
        for name, known_as in AS.findall(line):
            yield (known_as, name) if known_as else (name.partition(".")[0],) * 2
    for module, line in FROM.findall(text):
        for name, known_as in AS.findall(line):
            yield known_as or name, f"{module}.{name}"


def _javascript_import(names: str, module: str) -> Iterator[tuple[str, str]]:
    if not names.startswith("{"):
        yield names, module
    for part in names.strip("{}").split(",") if names.startswith("{") else ():
        name, _, known_as = part.partition(":")
        yield (known_as or name).strip(), f"{module}.{name.strip()}"
