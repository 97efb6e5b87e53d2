"""The names of an image by what contains them. Built once, then only read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from engine.common.text import Untrusted
from engine.models import Language
from engine.models.code_names import CodeNames, NameKind

UNKNOWN = Untrusted("")


@dataclass(frozen=True)
class CodeName:
    """One name, qualified: `json.dumps`. A sandbox said it."""

    name: str
    kind: str
    signature: Untrusted = field(default=UNKNOWN)
    """Parameters in parentheses; empty where they are not known."""
    summary: Untrusted = field(default=UNKNOWN)
    """The first line of its documentation."""

    @property
    def word(self) -> str:
        """The last part."""
        return self.name.rpartition(".")[2]


class NameCatalogue:
    """Finds names, and the members of names."""

    def __init__(self, names: CodeNames, language: Language) -> None:
        self.language = language
        self._lines: dict[str, str] = {}
        self._members: dict[str, list[str]] = defaultdict(list)
        for line in names.table.text.split("\n"):
            name = line.partition("\t")[0]
            self._lines[name] = line
            self._members[name.rpartition(".")[0]].append(line)

    def name(self, qualified: str) -> CodeName | None:
        """Return a name by its qualified name."""
        line = self._lines.get(qualified)
        return _parsed(line) if line else None

    def has(self, qualified: str) -> bool:
        """Return whether there is a name, or something in it."""
        return qualified in self._lines or qualified in self._members

    def members(self, qualified: str, prefix: str = "") -> list[CodeName]:
        """Return what a module, class or value contains, as far as it begins with a prefix in any case."""
        begin = (f"{qualified}.{prefix}" if qualified else prefix).lower()
        lines = self._members.get(qualified, ())
        return [_parsed(line) for line in lines if line and line[: len(begin)].lower() == begin]

    def modules(self) -> list[CodeName]:
        """Return the modules that can be imported by one word."""
        return [each for each in self.members("") if each.kind == NameKind.MODULE]

    def top(self, prefix: str = "") -> list[CodeName]:
        """Return what is known without an import, as far as it begins with a prefix."""
        if self.language is Language.PYTHON:
            return self.members("builtins", prefix)
        return [each for each in self.members("", prefix) if each.kind != NameKind.MODULE]


def _parsed(line: str) -> CodeName:
    name, kind, signature, summary = line.split("\t")
    return CodeName(name, kind, Untrusted(signature), Untrusted(summary))
