"""Users, agents and contributors read the terms of the glossary, and no metaphors instead of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"

BANNED = {
    r"houses?": "host, engine or installation",
    r"desks?": "review queue",
    r"doors?": "endpoint, transport or API",
    r"rooms?": "package, capacity, space or size",
    r"nouns?": "model",
    r"standing approvals?": "pre-approval",
    r"eyes[- ]on": "review record",
    r"mend(?:s|ed|ing)?": "fix or hint",
    r"vigils?": "watcher",
    r"envelopes?": "result",
    r"chords?": "key combination",
    r"beforehand": "in advance",
    r"hand(?:s|ed|ing)? in": "submit",
    r"sandbox(?:es)? that stays?": "session",
    r"last word": "exit report",
    r"thaw(?:s|ed)?": "resume",
    r"disposed of": "triaged",
}
"""Words that are not used, and what to write instead."""

LITERAL = {
    "console/history/filter_line.py": {"last word"},
    "engine/history/search/query/complete.py": {"last word"},
}
"""Files in which a banned word has its literal meaning."""

PATTERN = re.compile("|".join(rf"\b(?:{word})\b" for word in BANNED), re.IGNORECASE)
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / ".ci").iterdir()),
)
FOLDERS = ("engine", "console")
"""Their texts are also the help of the command line, the OpenAPI document and the tools of MCP."""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page, or those of the docstrings and messages of a module, with their numbers."""
    if path.suffix != ".py":
        yield from enumerate(path.read_text().splitlines(), 1)
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield from ((node.lineno + offset, line) for offset, line in enumerate(node.value.splitlines()))


def faults(path: Path) -> list[str]:
    """Return the banned words of a file, each with its place and what to write instead."""
    name = str(path.relative_to(ROOT))
    return [
        f"{name}:{number}: {match[0]}: write {_instead(match[0])}"
        for number, text in texts(path)
        for match in PATTERN.finditer(text)
        if match[0].lower() not in LITERAL.get(name, set())
    ]


def _instead(found: str) -> str:
    return next(term for word, term in BANNED.items() if re.fullmatch(word, found, re.IGNORECASE))


def test_pages_use_the_terms_of_the_glossary() -> None:
    """The manual, the make targets and the scripts contain no banned word."""
    assert [] == [fault for path in PAGES for fault in faults(path)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_and_messages_use_the_terms_of_the_glossary(folder: str) -> None:
    """Docstrings, messages, help texts and descriptions contain no banned word."""
    assert [] == [fault for path in sorted((ROOT / folder).rglob("*.py")) for fault in faults(path)]


def test_a_banned_word_is_found_in_every_form() -> None:
    """Upper case and plurals count, parts of other words do not."""
    found = [match[0] for match in PATTERN.finditer("The Doors of the house; outdoors, warehouse, recommend")]
    assert ["Doors", "house"] == found
    assert "endpoint, transport or API" == _instead("Doors")


def test_the_glossary_is_alphabetical_and_linked() -> None:
    """Each term has one sentence, and the readme and the guide for contributors lead to it."""
    lines = [line for line in GLOSSARY.read_text().splitlines() if line.startswith("| ")]
    terms = [line.split(" | ")[0].lower() for line in lines[1:]]
    assert terms == sorted(terms)
    assert [] == [line for line in lines[1:] if not line.endswith(". |")]
    assert all("docs/glossary.md" in (ROOT / page).read_text() for page in ("README.md", "CONTRIBUTING.md"))
