"""The language of a text, guessed by its look: for what is pasted, and files whose name does not say it."""

from __future__ import annotations

import re

from engine.models import Language

READ_CHARACTERS = 16 * 1024
"""Only the beginning of a text is looked at."""
LEAST = 2
"""Signs that a guess needs, unless one of them is in `CLEAR` and no other language has any."""

SHEBANG = {
    Language.PYTHON: re.compile(r"#!\S{0,80}(?:\s\S{0,80})?python"),
    Language.JAVASCRIPT: re.compile(r"#!\S{0,80}(?:\s\S{0,80})?(?:node|deno|bun)\b"),
    Language.SHELL: re.compile(r"#!\S{0,80}(?:\s\S{0,80})?(?:ba|da|z|k)?sh\b"),
}
SIGNS = {
    Language.PYTHON: re.compile(
        r"^(?:from [\w.]+ import |import [\w.]+(?: as \w+)?$|[ ]*(?:async )?def \w+\(|class \w+.{0,80}:$"
        r"|[ ]*(?:if|for|while|with|elif|else|try|except).{0,200}:$|[ ]*print\(|@\w+|# %%)",
        re.MULTILINE,
    ),
    Language.JAVASCRIPT: re.compile(
        r"(?:^[ \t]*(?:const|let|var) [\w{\[]|\bfunction\b ?\w*\(|=> ?[{(\w]|console\.\w+\(|require\(['\"]"
        r"|^import .{0,120} from ['\"]|^export |===|;$|^// )",
        re.MULTILINE,
    ),
    Language.SHELL: re.compile(
        r"^[ \t]*(?:echo |fi$|done$|esac$|then$|set -|export \w+=|\w+=(?:\$|\"|\S*$)|if \[|for \w+ in "
        r"|while read|(?:ls|cat|grep|mkdir|cd|cp|mv|rm|curl|sed|awk|find|sudo|apt|git) )",
        re.MULTILINE,
    ),
}
CLEAR = {
    Language.PYTHON: re.compile(
        r"^[ ]*(?:print\(|from [\w.]+ import \w|import [\w.]+(?: as \w+)?$|(?:async )?def \w+\(.{0,200}:$)",
        re.MULTILINE,
    ),
    Language.JAVASCRIPT: re.compile(r"\bconsole\.\w+\(|^[ \t]*(?:const|let) [\w{\[]", re.MULTILINE),
    Language.SHELL: re.compile(r"^[ \t]*(?:echo |export \w+=|set -[a-z])", re.MULTILINE),
}
"""Signs of which one is enough."""


def detected(text: str) -> Language | None:
    """Return the language that a text seems to be written in; None where that is not clear."""
    beginning = text[:READ_CHARACTERS]
    for language, shebang in SHEBANG.items():
        if shebang.match(beginning):
            return language
    signs = {language: len(sign.findall(beginning)) for language, sign in SIGNS.items()}
    best, second = sorted(signs, key=signs.__getitem__, reverse=True)[:2]
    if signs[best] >= LEAST and signs[best] > signs[second]:
        return best
    return best if not signs[second] and CLEAR[best].search(beginning) else None
