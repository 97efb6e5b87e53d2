"""Command lines that other languages start: those that only show something, and those that give work away."""

from __future__ import annotations

import re

_ELSEWHERE = re.compile(
    r"\bgit\b[^;&|]*\s(?:push\s+(?:-\S+\s+)*|remote\s+(?:add|set-url)\s+\S+\s+)['\"]?(?:\w+://|\w+@)"
)
"""A repository is pushed to an address, or gets one to be pushed to."""
_SHOWING = re.compile(
    r"(?:git (?:status|log|diff|show|branch|rev-parse|describe|ls-files|blame|shortlog|remote -v|--version)"
    r"|(?:[\w./-]*(?:python[\d.]*|node|npm|gcc|java|go|cargo|ffmpeg|make|git)) (?:--version|-V|-v)"
    r"|clear|cls|date|uptime|tput \w+)(?: [\w./=%@{}:+ -]*)?$"
)
"""Commands that show something about the work, and change nothing."""


def only_shows(line: str | None) -> bool:
    """Whether a command line is one that only shows something."""
    return line is not None and _SHOWING.match(line) is not None


def gives_elsewhere(line: str) -> bool:
    """Whether a command line pushes a repository to an address, or sets one to push to."""
    return _ELSEWHERE.search(line) is not None
