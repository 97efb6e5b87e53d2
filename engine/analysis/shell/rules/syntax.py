"""Rules: what bash itself could not read either."""

from __future__ import annotations

from engine.analysis.shell.declare import HIGH, rule

SYNTAX = rule(
    "sh-syntax",
    "The code is not valid shell",
    "unreadable",
    HIGH,
    attack="Breaks the grammar where the reader stops, while the shell has run every line before it.",
    why="HIGH: everything before the error still happens, and what follows it was not read.",
    fix="Send code that `bash -n` accepts, in the language that was declared.",
    match=("if true; then", "echo 'abc", "<?php echo 1; ?>"),
    not_match=("if true; then ls; fi", "echo ${x:$i:1} ${y~~}", "exec 5<>f"),
    cwe=1286,
    owasp=None,
)
RULES = (SYNTAX,)
