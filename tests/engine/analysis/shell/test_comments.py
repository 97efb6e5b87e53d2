"""A comment of the grammar is one to bash too, or it is marked."""

from __future__ import annotations

import pytest

from engine.analysis.shell.comments import check
from engine.analysis.shell.reader import read
from engine.settings import AnalysisSettings


def marked(code: str) -> list[int]:
    """Return the lines on which a comment of the grammar is marked."""
    return [violation.span.line for violation in check(read(code, AnalysisSettings(), 0))]


@pytest.mark.parametrize(
    "code",
    [
        "# fine",
        "ls # fine",
        "ls;# fine",
        "ls \\\\ # fine",
        "ls \\\\\\\\ # fine",
        "ls \\\n# fine",
        "ls \\\\\n# fine",
        "cat << \\\nE # fine\na\nE\n",
        "ls \\\n\\\n# fine",
        'echo "$(id # fine\n)"',
        "echo $(( 1 + $(id # fine\n) ))",
        "[[ a == $(id # fine\n) ]]",
        "if true; then # fine\n  ls\nfi",
        "cat <<E # fine\na\nE\n",
        "cat <<E | sort # fine\na\nE\n",
        "cat <<E || # fine\na\nE\n:\n",
        "cat <<E >f # fine\nE\n",
    ],
)
def test_a_comment_of_bash_is_not_marked(code: str) -> None:
    """Where bash begins a comment, and within substitutions inside of words."""
    assert [] == marked(code)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (1, "\\ #$(id)"),
        (1, "\\ #$(id)\\"),
        (1, "ls \\ #$(id)"),
        (2, "ls \\\\\\\n#$(id)"),
        (2, "ls a\\\n#$(id)"),
        (3, "ls a\\\n\\\n#$(id)"),
        (2, "cat <<E |\n#$(id)\nE\nsort"),
        (2, "cat <<E \\\n#$(id)\nE\n"),
    ],
)
def test_a_word_of_bash_is_marked(line: int, code: str) -> None:
    """A quoted blank does not begin a comment, nor does a line that continues a word or a here-document."""
    assert line in marked(code)
