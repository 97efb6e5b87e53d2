"""Where violations of Python are: in characters of the text as it was sent."""

from __future__ import annotations

import base64
import zlib

import pytest

from engine.analysis import analyse
from engine.models import Language, Violation


def _found(code: str | bytes, rule: str) -> list[tuple[int, int, int, int]]:
    spans = [v.span for v in analyse(code, Language.PYTHON).violations if v.rule == rule]
    return [(span.line, span.column, span.end_line, span.end_column) for span in spans]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("eval(x)", (1, 1, 1, 8)),
        ("é = 'ü'; eval(x)", (1, 10, 1, 17)),
        ("s = '😀😀'; eval(x)", (1, 11, 1, 18)),
        ("if a:\n\teval(x)", (2, 2, 2, 9)),
        ("a = 1\r\neval(x)\r\n", (2, 1, 2, 8)),
        ("a = 1\reval(x)", (2, 1, 2, 8)),
        ("a = 1\n\feval(x)\n", (2, 2, 2, 9)),
        ("a = '\u2028'\neval(x)", (2, 1, 2, 8)),
        ("a = '\x0b\x1c'\neval(x)", (2, 1, 2, 8)),
        ("eval(\n    'é',\n    x)", (1, 1, 3, 7)),
        ("'''é\né'''; eval(x)", (2, 7, 2, 14)),
    ],
)
def test_a_span_counts_characters(code: str, expected: tuple[int, int, int, int]) -> None:
    """Multi-byte letters, tabs, form feeds, and every line end: the span is the call's own."""
    assert [expected] == _found(code, "py-exec")


def test_a_byte_order_mark_is_a_character() -> None:
    """The mark is the first character of the first line, and of no other."""
    assert [(1, 2, 1, 9)] == _found("\ufeffeval(x)", "py-exec")
    assert [(2, 1, 2, 8)] == _found("\ufeffa = 1\neval(x)".encode(), "py-exec")


def test_the_same_construct_is_one_violation_with_its_other_places() -> None:
    """Three calls alike are one violation at the first, related to the others."""
    violations = analyse("eval(x)\neval(x)\neval(x)\n", Language.PYTHON).violations
    assert ["py-exec"] == [v.rule for v in violations]
    assert [2, 3] == [span.line for span in violations[0].related]


def _shell(code: str) -> list[Violation]:
    return [v for v in analyse(code, Language.PYTHON).violations if v.rule.startswith("sh-")]


def test_a_command_in_a_literal_keeps_its_own_place() -> None:
    """What the shell rules find is shown within the literal, and says that it was decoded."""
    found = _shell("import os\nos.system('é; rm -rf /')\n")
    assert ("shell",) == found[0].layers
    assert 2 == found[0].span.line
    assert 15 == found[0].span.column


def test_a_command_with_escapes_stands_at_its_literal() -> None:
    """Where characters of the literal are not those of the command, the literal's span is used."""
    found = _shell("import os\nos.system('r\\x6d -rf /')\n")
    assert (2, 11) == (found[0].span.line, found[0].span.column)


def test_layers_are_named_from_the_outside_in() -> None:
    """base64 of zlib of code that runs a command: each layer is in its place."""
    payload = base64.b64encode(zlib.compress(b"import os\nos.system('rm -rf /')")).decode()
    code = f"import base64, zlib\nexec(zlib.decompress(base64.b64decode('{payload}')))"
    found = _shell(code)
    assert ("zlib", "base64", "exec", "shell") == found[0].layers


def test_evidence_leads_from_the_alias_to_the_use() -> None:
    """The steps are the import and the assignment that the call came through."""
    code = "import os as o\nf = o.getenv('SECRET_KEY')\ng = f\nexec(g)\n"
    violations = analyse(code, Language.PYTHON).violations
    steps = next(v.evidence for v in violations if v.rule == "py-exec")
    assert [2, 2, 3] == [step.span.line for step in steps]
