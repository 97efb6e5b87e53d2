"""Rules: what is no JavaScript."""

from __future__ import annotations

from engine.analysis.javascript.declare import HIGH, rule

SYNTAX = rule(
    "js-syntax",
    "The code is not valid JavaScript",
    "unreadable",
    HIGH,
    attack="Breaks the grammar so that an analyser sees less than the interpreter runs.",
    why="HIGH: what could be read is judged, but nothing is known about the rest.",
    fix="Send code that `node --check` accepts, in the language that was declared.",
    match=("function (", "let x = {", "import os\nprint('hi')\ndef f():\n  pass"),
    not_match=("let x = {};", "const a = b?.c ?? d;", "export default async () => {}"),
    cwe=1286,
    owasp=None,
)
RULES = (SYNTAX,)
