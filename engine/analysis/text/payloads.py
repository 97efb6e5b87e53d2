"""Code of Python in texts of other languages, of the kind that only attacks hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.positions import Lines
from engine.analysis.text.rules import PAYLOAD
from engine.models import Language, Violation

_PAYLOAD = re.compile(
    r"__import__\(\s*[\\'\"]+(?:os|subprocess|pty)[\\'\"]+\s*\)\s*\.\s*(?:system|popen|run|call|Popen|check_output|spawn)"
    r"|__class__\s*\.\s*__(?:mro|base|bases)__[^\n]{0,40}__subclasses__"
)


def check(source: str, lines: Lines, language: Language) -> Iterator[Violation]:
    """Yield the places of such code."""
    if language is Language.PYTHON or "__" not in source:
        return
    for found in _PAYLOAD.finditer(source):
        yield PAYLOAD.violation(lines.span(*found.span()), f"Holds `{found[0][:60]}`")
