"""Spans of shell and JavaScript are exact: characters, not bytes; tabs, CRLF and embedded code."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language

_JS, _SH = Language.JAVASCRIPT, Language.SHELL


@pytest.mark.parametrize(
    ("language", "rule", "place", "source"),
    [
        (_SH, "sh-rm-tree", (2, 2, 2, 10), "echo 'äöü 漢字'\n\trm -rf /\n"),
        (_SH, "sh-rm-tree", (2, 12, 2, 20), "# é\r\necho '🎉' ; rm -rf ~\r\n"),
        (_SH, "sh-rm-tree", (1, 10, 1, 18), "bash -c 'rm -rf /'"),
        (_SH, "sh-rm-tree", (3, 1, 3, 9), "sh <<'EOF'\nls ü\nrm -rf /\nEOF\n"),
        (_SH, "sh-rm-tree", (1, 12, 1, 20), 'é=1; eval "rm -rf /"'),
        (_SH, "py-process", (1, 29, 1, 44), "ü=1; python3 -c 'import os; os.system(\"ls\")'"),
        (_SH, "sh-system-write", (1, 9, 1, 21), "echo é; > /usr/lib/x"),
        (_JS, "js-eval", (2, 12, 2, 19), "// 漢字\n\tvar é=1 ; eval(x)"),
        (_JS, "js-eval", (3, 3, 3, 10), "'😀';\r\n\r\n  eval(x)\r\n"),
        (_JS, "sh-rm-tree", (1, 39, 1, 47), "é; require('child_process').execSync('rm -rf /')"),
        (_JS, "js-explosive-regex", (1, 5, 1, 12), "'漢';/(a+)+/"),
    ],
)
def test_the_span_is_exact(language: Language, rule: str, place: tuple[int, ...], source: str) -> None:
    """The first violation of the rule starts and ends where an editor would say."""
    spans = [v.span for v in analyse(source, language).violations if v.rule == rule]
    assert place in [(s.line, s.column, s.end_line, s.end_column) for s in spans]
