"""Trees that code is compared by: whatever is handed in, the process that parses it goes on."""

from __future__ import annotations

import random

import pytest

from engine.models import Language
from engine.policy.comparison.syntax_trees import parse_source

PIECES = ("<<", "<<-", "$(", "`", "${", "}", "'", '"', "\\", "|", "!", "*", "((", "EOF", "a", "\n", " ", "\0")


@pytest.mark.parametrize("language", [Language.JAVASCRIPT, Language.SHELL])
def test_characters_far_beyond_ascii_end_nothing(language: Language) -> None:
    """Twenty thousand scripts of operators and characters of every plane are parsed, and none is lost."""
    chosen = random.Random(1)  # noqa: S311  the same scripts every time
    for _ in range(20_000):
        far = chr(chosen.choice((0x80, 0x2028, 0x65E5, 0x24B67, 0x8FFFF, 0x10EB93)) + chosen.randrange(64))
        script = "".join(chosen.choice((*PIECES, far)) for _ in range(30)).encode()
        assert len(script) >= parse_source(script, language).end_byte


def test_shell_beyond_ascii_is_told_apart_by_its_own_text() -> None:
    """Nodes count the bytes of the source, so that what they hold is read from it."""
    source = 'echo "日本" é'.encode()
    words = [
        source[one.start_byte : one.end_byte].decode()
        for one in parse_source(source, Language.SHELL).children[0].children
    ]
    assert ["echo", '"日本"', "é"] == words
