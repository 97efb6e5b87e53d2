"""Rules from entry points are found, listed and explained, and do not replace other rules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_MODULE = """
from engine.analysis.extension import Extension
from engine.analysis.rule import Rule
from engine.models import Language, Level, Span

RULE = Rule(id="acme-todo", title="Says TODO", category="acme", severity=Level.MEDIUM,
            languages=frozenset({Language.PYTHON}), attack="None.", why="MEDIUM: house rule.", fix="Do it.",
            match=("# TODO",), not_match=("x = 1",))

def check(source, language):
    if "BREAK" in source:
        raise RuntimeError("broken rule")
    if "TODO" in source:
        yield RULE.violation(Span(line=1, column=1, end_line=1, end_column=2), "TODO")

EXTENSION = Extension(RULE, check)
"""
_ASK = """
import sys
from engine.analysis import analyse
from engine.analysis.registry import explain
from engine.models import Language
print("acme-todo" in explain("acme-todo"))
asked = (("x = 1 # TODO", "python"), ("x = 1 // TODO", "javascript"), ("eval(x) # BREAK", "python"))
for code, language in asked:
    print(*sorted({violation.rule for violation in analyse(code, Language(language)).violations}))
"""


def test_an_installed_rule_works_like_a_built_in_rule(tmp_path: Path) -> None:
    """It has a page and fires in its language; its failure is reported, and the other rules still fire."""
    (tmp_path / "acme_rules.py").write_text(_MODULE)
    info = tmp_path / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pratique.rules]\ntodo = acme_rules:EXTENSION\n")
    path = os.pathsep.join([str(tmp_path), *(entry for entry in sys.path if entry)])
    done = subprocess.run(
        [sys.executable, "-c", _ASK],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "" == done.stderr
    assert ["True", "acme-todo", "", "analysis-crashed py-exec"] == done.stdout.splitlines()
