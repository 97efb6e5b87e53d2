"""Scripts in which it depends on the way that bash takes whether a variable is assigned before it is read."""

from __future__ import annotations

import random
from collections.abc import Iterator

_ASSIGN = (
    "SECRET=1", "SECRET=$x", "SECRET=(1 2)", "SECRET=$(echo a)", "SECRET=$((i + 1))",
    "SECRET=1 > /dev/null", "read -r r SECRET <<< 'a b'", "((SECRET = 1))",
)  # fmt: skip
_READ = (
    'echo "$SECRET"', 'echo "$SECRET"', 'echo "${SECRET:-z}"',
    'cat <<< "$SECRET"', 'for z in "${SECRET[@]}"; do echo "$z"; done', 'z=$SECRET; echo "$z"',
)  # fmt: skip
_END = (
    ": $((1 / 0))", "exit 1 2", "return 1 2", "return", "break", "continue", "shift 1 2", ': "${a[-9]}"',
    "((1 / 0))", "read -r r", "set -e", "false", "g", 'echo "${x:0:-9}"',
    ': "${q:?}"', "break 1 2", "exit $i", "x=$(exit 1 2)", "((0 && (i = 2)))",
)  # fmt: skip
_FORMS = (
    "if {}\nthen {}\nfi", "if {}; then {}; else {}; fi",
    "if false; then {}\nelif false; then {}\nelse {}\nfi", "for i in 1 2; do {}\ndone",
    "while ((j++ < 2)); do {}\ndone", "{{ {}\n}}", "( {} )", "{} && {}", "{} || {}",
    "case b in a) {};; b) {}\n;; esac", "{{ {}\n}} <<< a", "{{ {}\n}} | cat", "z=$({})",
    "for SECRET in 1 2; do {}\ndone", "for SECRET in $x; do {}\ndone",
)  # fmt: skip
_START = "x=1 i=0 j=0\n"


def flows(seed: int) -> Iterator[str]:
    """Yield scripts of statements that assign, read and end early, without end."""
    chosen = random.Random(seed)  # noqa: S311
    while True:
        functions = [f"{name}() {{ {_several(chosen, 2)}\n}}\n" for name in "g" if chosen.random() < 0.6]
        yield f"{_START}{''.join(functions)}{_several(chosen, 3)}\n"


def _several(chosen: random.Random, depth: int) -> str:
    parts = [_statement(chosen, depth) for _ in range(chosen.randint(1, 3))]
    return "".join(part + chosen.choice(("; ", "\n")) for part in parts[:-1]) + parts[-1]


def _statement(chosen: random.Random, depth: int) -> str:
    if not depth or chosen.random() < 0.5:
        return chosen.choice(chosen.choice((_ASSIGN, _READ, _END)))
    form = chosen.choice(_FORMS)
    return form.format(*(_several(chosen, depth - 1) for _ in range(3)))
