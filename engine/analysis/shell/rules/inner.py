"""Rules: code within shell that is read in its own language."""

from __future__ import annotations

from engine.analysis.shell.declare import MEDIUM, rule

FOREIGN = rule(
    "sh-foreign-script",
    "Runs a script in a language that is not analysed",
    "process",
    MEDIUM,
    attack="Does in Perl, Ruby or PHP what would be noticed in shell.",
    why=(
        "MEDIUM: only the commands that it starts, and what it deletes, are read; HIGH "
        "where it deletes or connects."
    ),
    fix="Write it in shell, Python or JavaScript.",
    match=(
        "perl -e 'system(\"ls\")'",
        "ruby -e \"require 'fileutils'; FileUtils.rm_rf('/home/user')\"",
        "php -r 'exec(\"id\");'",
        "osascript -e 'do shell script \"id\"'",
    ),
    not_match=(
        "perl -pe 's/a/b/' x",
        "ruby -v",
        "php -v",
        "awk '{print $1}' a",
    ),
    cwe=78,
)

RULES = (FOREIGN,)
