"""Text that the reviewer, the analysis and the interpreter could read differently is never let pass."""

from __future__ import annotations

import ast
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import analyse
from engine.analysis.positions import Lines
from engine.analysis.text.readings import check
from engine.models import Language, Level

RULE = "text-two-readings"


def is_misread(code: str, language: Language = Language.PYTHON) -> bool:
    """Say whether the analysis says that it is not sure, and marks the place as HIGH at least."""
    analysis = analyse(code, language)
    marked = [one for one in analysis.violations if one.rule == RULE and one.severity.rank >= Level.HIGH.rank]
    assert bool(marked) is not analysis.complete or not marked
    return bool(marked) and not analysis.complete


@pytest.mark.parametrize(
    "character", ["\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\0"]
)
@pytest.mark.parametrize("language", Language)
def test_a_line_end_of_one_reader_alone_is_marked(character: str, language: Language) -> None:
    """Wherever it stands, in every language."""
    for code in (f"a = 1{character}b = 2", f"# a{character}b", f"{character}x", f"'{character}'"):
        assert is_misread(code, language), code


@pytest.mark.parametrize(
    "code",
    [
        "\r# coding: unicode_escape\nprint(1)",
        "# coding: utf-7\nprint(1)",
        "#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nprint(1)",
        "\f# coding: rot13\nprint(1)",
        "#\r# coding=cp1252\nprint(1)",
        "# coding: no-such-encoding\nprint(1)",
    ],
)
def test_an_encoding_other_than_utf_8_is_marked(code: str) -> None:
    """By whatever line end its line is the first or the second (PEP 263)."""
    assert is_misread(code)


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("# -*- coding: utf-8 -*-\nx = 1\r\ny = 2\r\n", Language.PYTHON),
        ("x = 1\n\n# coding: latin-1 stands too far down\n", Language.PYTHON),
        ("\ufeffx = 1\n", Language.PYTHON),
        ("const a = 1; // fine\nconst b = a --> 0;\n", Language.JAVASCRIPT),
        ("let a = 1;\na--> 0;\n", Language.JAVASCRIPT),
        ("echo ok # fine\necho 'a'#b \"c # d\"; # fine\n", Language.SHELL),
        ("if true; then # fine\n  x=(1 # fine\n 2)\nfi\necho $(id # fine\n)\n", Language.SHELL),
        ("cat <<'E'\n# text\nE\necho \\\\ # fine\n", Language.SHELL),
    ],
)
def test_ordinary_text_is_not_marked(code: str, language: Language) -> None:
    """Comments where everybody sees them, CRLF, and a byte order mark at the start."""
    assert RULE not in {one.rule for one in analyse(code, language).violations}


@pytest.mark.parametrize("code", ["<!-- f()\n", "x = 1\n--> f()\n", "/* a */ --> f()\n"])
def test_html_comments_of_javascript_are_marked(code: str) -> None:
    """A script skips them, a module runs them."""
    assert is_misread(code, Language.JAVASCRIPT)


@given(st.text(alphabet=list("ab#:=-\r\n\f\v \tcodingutf8latin1'\\"), max_size=60))
def test_python_reads_bytes_as_it_reads_the_text(code: str) -> None:
    """What is not marked has the same tree whether Python decodes the bytes or is given the text."""
    if is_misread(code):
        return
    try:
        of_text = ast.dump(ast.parse(code))
    except (SyntaxError, ValueError):
        return
    assert of_text == ast.dump(ast.parse(code.encode()))


@pytest.mark.parametrize(
    ("expected", "code", "language"),
    [
        ([(1, 2, 1, 3)], "a\vb", Language.PYTHON),
        ([(1, 6, 1, 6)], "a = 1\rb", Language.PYTHON),
        ([(1, 8, 1, 9)], "echo a \\\r\nb", Language.SHELL),
        ([], "x = a \\\r\nb", Language.PYTHON),
        ([(1, 11, 1, 18)], "# coding: latin-1\n", Language.PYTHON),
        ([(2, 11, 2, 16)], "\n# coding: rot13\n", Language.PYTHON),
        ([], "# coding: latin-1\n", Language.SHELL),
        ([(2, 1, 2, 4)], "x = 1\n--> f()\n", Language.JAVASCRIPT),
        ([(1, 9, 1, 12)], "/* a */ --> f()", Language.JAVASCRIPT),
        ([(1, 1, 1, 5)], "<!-- a", Language.JAVASCRIPT),
        ([], "<!-- a", Language.PYTHON),
        ([(1, 2, 1, 3), (2, 1, 2, 2), (2, 3, 2, 4)], "a\vb\n\fc\x85d", Language.PYTHON),
    ],
)
def test_every_place_is_marked_where_it_is(
    expected: list[tuple[int, ...]], code: str, language: Language
) -> None:
    """In the language whose readers differ, and in no other."""
    found = [span for one in check(code, Lines(code), language) for span in (one.span, *one.related)]
    assert expected == [(span.line, span.column, span.end_line, span.end_column) for span in found]


def test_the_places_of_one_kind_are_bounded() -> None:
    """A text of nothing else has one violation with 50 places."""
    (found,) = check("\v" * 60, Lines("\v" * 60), Language.PYTHON)
    assert 50 == 1 + len(found.related)


# --- against bash itself

QUOTING = (
    "",
    " ",
    "\t",
    "\\ ",
    "\\\\ ",
    "\\\t",
    "\\\n",
    "\\\\\n",
    " \\\n",
    "\\\r\n",
    "\\;",
    "\r",
    "\v",
    "\f",
)
OTHERS = (*";({}!=`[]|><\xa0\x85\u2028", "&&", "$x", "'a'", '"a"')
AROUND = (
    "echo ok%s#$(id >&2)\n",
    "x=(a%s#$(id >&2)\n)",
    "echo $((1%s#$(id >&2)\n))",
    "echo ${x:-a%s#$(id >&2)}",
    'echo "a%s#$(id >&2)"',
    "[[ a == b%s#$(id >&2)\n]]",
    "case a in b%s#$(id >&2)\n) ;; esac",
    "a[0%s#$(id >&2)\n]=1",
    "cat <<E\n%s#$(id >&2)\nE\n",
    "for ((i=0%s#$(id >&2)\n;i<1;i++)); do :; done",
    "true && echo a%s#$(id >&2)\n",
    "f() { echo a%s#$(id >&2)\n}; f",
)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash reads the scripts")
@pytest.mark.parametrize("before", [*QUOTING, *OTHERS])
@pytest.mark.parametrize("around", AROUND)
def test_what_bash_runs_is_no_comment_here(around: str, before: str) -> None:
    """A command that bash runs is seen, or the text is marked: `id` is all that these scripts run."""
    code = around % before
    ran = subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=10, check=False)
    if "uid=" in ran.stderr:
        analysis = analyse(code, Language.SHELL)
        assert not analysis.complete or "id" in {effect.value.text for effect in analysis.effects}
