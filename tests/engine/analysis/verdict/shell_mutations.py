"""Scripts in and around the provable subset of shell: tokens of known scripts, mixed anew."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(
    r"\$\(\(|\$\(|\$\{|\$\w+|\$[@*#?]|\w+|\(\(|\)\)|\[\[|\]\]|&&|\|\||;;|<<<|>&2|\s+|[^\w\s]", re.ASCII
)
_EXTRA = (
    "$(pwned)",
    "`pwned`",
    "pwned",
    "'a[$(pwned)]'",
    "$x",
    '"$x"',
    "${x}",
    "$((x))",
    "((x++))",
    "*",
    "'*'",
    "-v",
    "-o",
    "canary-*",
    "$SECRET",
    '"$1"',
    "$1",
    '"$@"',
    '"${a[@]}"',
    "${a[0]}",
    "${a[x]}",
    "${x:-1}",
    "${x:x}",
    "${!x}",
    "${x@P}",
    "x=",
    "x+=",
    "a[x]=1",
    "x='a[$(pwned)]'",
    "x=1",
    "IFS=_",
    "IFS=1",
    "read x",
    "local x",
    "unset x",
    "set --",
    "shift",
    "f",
    "f() {",
    "f() { echo $(($1)); }",
    "f 'a[$(pwned)]'",
    "{1..3}",
    "{a,b}",
    "~",
    "[",
    "]",
    "[[",
    "]]",
    "-eq",
    "-lt",
    "-gt",
    "=",
    "==",
    "=~",
    "!",
    "<<< x",
    "<<EOF",
    "\nEOF\n",
    "| cat",
    "&& echo",
    "|| echo",
    "; echo",
    "\n",
    "\\\n",
    "#",
    '"',
    "'",
    "$'",
    "\\",
    "> pwned",
    "< canary-file",
    "2>&1",
    'printf "$x"',
    "printf -v x '%s'",
    "declare -A m",
    "m[$x]=1",
    "${m[$x]}",
    "declare -a x=",
    "let x",
    "test -v",
    "[ -v 'a[$(pwned)]' ]",
    "[[ $x -eq 0 ]]",
    "cat canary-file",
    "echo $x",
    'echo "$x"',
    "grep",
    "sort",
    "sed",
    "awk",
    "-e",
    "--",
    "p",
    "e",
    "w pwned",
    "'1e pwned'",
)
_JOINS = ("\n", "; ", " && ", " || ", " | ")
_WRAPS = (
    "( {} )",
    "{{ {}; }}",
    'echo "$( {} )"',
    "f() {{ {}; }}; f 'a[$(pwned)]' 1",
    "if {}; then {}; fi",
    "x=$( {} )",
)


def scripts(seed: int, sources: Sequence[str]) -> Iterator[str]:
    """Yield scripts without end: each source with some of its tokens changed, and joined to others."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    tokens = [_TOKEN.findall(source) for source in sources]
    pool = [token for found in tokens for token in found]
    while True:
        parts = [_changed(rng, rng.choice(tokens), pool) for _ in range(rng.choice((1, 1, 2, 3)))]
        script = rng.choice(_JOINS).join(parts)
        yield (
            rng.choice(_WRAPS).replace("{}", script).replace("{{", "{").replace("}}", "}")
            if rng.random() < 0.2
            else script
        )


def _changed(rng: random.Random, tokens: Sequence[str], pool: Sequence[str]) -> str:
    """Return tokens with some of them replaced, removed, inserted or exchanged."""
    changed = list(tokens)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        at = rng.randrange(len(changed) + 1)
        other = rng.choice(_EXTRA) if rng.random() < 0.6 else rng.choice(pool)
        match rng.randrange(4):
            case 0:
                changed[at : at + 1] = [other]
            case 1:
                del changed[at : at + 1]
            case 2:
                changed[at:at] = [rng.choice(("", " ", "\n")), other, rng.choice(("", " ", "\n"))]
            case _:
                start = rng.randrange(len(changed) + 1)
                changed[at:at] = changed[start : start + 6]
    return "".join(changed)
