"""What a screen, an error or a page of the manual tells somebody to type is a command that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.engine.cli.test_every_command import EVERY

ROOT = Path(__file__).parents[3]
PAGES = [
    path
    for pattern in ("*.md", "docs/*.md", "console/**/*.py", "engine/**/*.py")
    for path in ROOT.glob(pattern)
]
NAMED = re.compile(
    r"(?<!from )(?<!-n )(?<!namespace )(?<!install )(?<!helm/)\bpratique((?: (?:--)?[a-z][a-z-]*\b(?!=))+)"
)
NOT_TYPED = {"adoption", "decision", "decided", "shared", "one", "trace", "span"}
"""What is signed, sealed or hashed, and the name of a connection, begin with the program's name, too."""
ELSEWHERE = {"web": {"--port"}, "mcp": {"--method"}}
"""The console's own command, and what the Inspector of MCP takes behind ours."""
FIRST = {words[0] for words in EVERY}
GROUPS = {words[0] for words in EVERY if len(words) > 1}


def named() -> set[str]:
    """Return all that is said to be typed after the program's name."""
    return {found[1].strip() for path in PAGES for found in NAMED.finditer(path.read_text())}


def options(words: tuple[str, ...]) -> set[str]:
    """Return the options of a command, or those of the program itself."""
    known = {"--help", "--plain", "--version", "--json", "--install-completion"}
    own = {option for one in getattr(EVERY.get(words), "params", ()) for option in one.opts}
    return known | own | ELSEWHERE.get(" ".join(words), set())


@pytest.mark.parametrize("typed", sorted(named()))
def test_what_is_named_exists(typed: str) -> None:
    """The command is there, and so are the options that follow it at once."""
    words = tuple(typed.split())
    plain = tuple(word for word in words if not word.startswith("--"))
    command = plain[: 2 if plain and plain[0] in GROUPS else 1]
    assert command in {(), *EVERY, *((word,) for word in GROUPS | NOT_TYPED | ELSEWHERE.keys())}
    assert {word for word in words[len(command) :] if word.startswith("--")} <= options(command)


def test_commands_are_found() -> None:
    """The test above has something to say."""
    assert FIRST - {word.split()[0] for word in named()} <= {"bench", "kill", "deny", "dev"}
