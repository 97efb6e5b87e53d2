"""Puts in place of bash constructs that the grammar lacks others of the same length that it can read.

Nothing that bash runs is hidden: substitutions within a construct stay, and texts are read from the source.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_SUBSTRING = re.compile(
    rb"(\$\{[#!]?[\w@*]+(?:\[[^\]\n]*\])?:)((?![-=?+])(?:[^{}`\n(]|\$\{[^{}`\n(]*\})+)(?=\})"
)
_CASE = re.compile(rb"(\$\{!?[\w@*]+(?:\[[^\]\n]*\])?)(~~?)(?=\})")
_READ_WRITE = re.compile(rb"<>(?!\()")
_BRACE_COMMAND = re.compile(rb"(?:^|(?<=[;&|(\n`]))([ \t]*)\{(?=[^\s{}();&|<>]+,[^\s{}();&|<>]*\})")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_FALL_THROUGH = re.compile(rb";;&|;&(?=[ \t]*(?:\n|\S+\)|esac))")
_PATTERN_LIST = re.compile(rb"(?<=[\w.*/\"'])[@?*+!]\([^()$`\n]*\)|@\([^()$`\n]*\)")
_BARE_BODY = re.compile(rb"(?m)^[ \t]*[\w-]+[ \t]*\([ \t]*\)[ \t]*(?=(?:for|while|until|if|case|select)\b)")
_BRACE_LOOP = re.compile(rb"\bfor[ \t]+\w+[ \t]+in[ \t][^;\n`()<>]*;(?=[ \t]*\{[ \t\n])")
_AFTER_HEREDOC = re.compile(rb"(?m)(<<-?[ \t]*['\"\\]?\w+['\"]?[^;\n]*?); (?=\S)")
_WITH_SUBSTITUTION = re.compile(rb"(\$\{[#!]?[\w@*]+(?:\[[^\]\n]*\])?):(?=[^-=?+{}\n][^{}\n]*[(`])")
_BASE = re.compile(rb"(?<=[\s(+*/%=<>&|^,?:-])(\d{1,2})#(?=\$)")
_INDEX = re.compile(rb"\w\[[^\[\]\n()`,]*,[^\[\]\n()`]{0,200}\]")
_AFTER_COMPOUND = re.compile(rb"(?<=[};)\s])((?:\}|\)|done|fi|esac)[ \t]*)<<<")
_BRACKET_PATTERN = re.compile(rb"(\$\{\w+/?[/#%]?)\](?=[^{}\n]*\})")
_ARITHMETIC = re.compile(rb"(?<=\$\(\()[^()`\n]*(?=\)\))")
_APART = re.compile(rb"(?<=[\w}])[ \t](?=\$)")
_ALL_ARGUMENTS = re.compile(rb"(\bfor[ \t]+\w+)[ \t](?=[ \t]*do\b)")
_TEST = re.compile(rb"(?<![\w\]\[])\[ [^\n\]]{0,1000}\]")
_TEST_WORD = re.compile(rb"(?<= )[~/](?= )")
_TEST_GROUP = re.compile(rb"(?<=[ \t])\\[()](?=[ \t])")
_SUBSHELL_BODY = re.compile(rb"\)[ \t](?=[ \t]*(?:then|do)\b)")
_DOUBLE = re.compile(rb"\$\(\(")
_PARENTHESIS = re.compile(rb"[()]")
_MAX_SUM = 10_000
"""How many bytes a `$((` is searched for its end."""
_MAX_DOUBLES = 200
"""In how many `$((` a subshell is looked for."""


def _blank(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


_FILLED: tuple[tuple[re.Pattern[bytes], re.Pattern[bytes], Callable[[re.Match[bytes]], bytes]], ...] = (
    (re.compile(rb";&"), _FALL_THROUGH, lambda match: b";;".ljust(len(match[0]))),
    (re.compile(rb"[@?*+!]\("), _PATTERN_LIST, lambda match: b"z" * len(match[0])),
    (re.compile(rb"\([ \t]*\)[ \t]*[fwuics]"), _BARE_BODY, _blank),
    (re.compile(rb";[ \t]*\{"), _BRACE_LOOP, _blank),
    (re.compile(rb"<<"), _AFTER_HEREDOC, lambda match: match[1] + b"&&"),
    (re.compile(rb"\$\{"), _SUBSTRING, lambda match: match[1] + b"0" * len(match[2])),
    (re.compile(rb"\$\{"), _CASE, lambda match: match[1] + b"^" * len(match[2])),
    (re.compile(rb"\{[^\s{}();&|<>]+,"), _BRACE_COMMAND, lambda match: match[1] + b"_"),
    (re.compile(rb"\$\{[^{}\n]*[(`]"), _WITH_SUBSTITUTION, lambda match: match[1] + b"-"),
    (re.compile(rb"#\$"), _BASE, lambda match: match[1] + b"+"),
    (re.compile(rb"\["), _INDEX, lambda match: match[0].replace(b",", b"_")),
    (re.compile(rb"<<<"), _AFTER_COMPOUND, lambda match: match[1] + b"<  "),
    (re.compile(rb"[/#%]\]"), _BRACKET_PATTERN, lambda match: match[1] + b"z"),
    (re.compile(rb"\$\(\("), _ARITHMETIC, lambda match: _APART.sub(b"+", match[0])),
    (re.compile(rb"\bfor\b"), _ALL_ARGUMENTS, lambda match: match[1] + b";"),
    (re.compile(rb"\[ "), _TEST, lambda match: _TEST_GROUP.sub(b"  ", _TEST_WORD.sub(b"z", match[0]))),
    (re.compile(rb"\)[ \t]"), _SUBSHELL_BODY, lambda _: b");"),
    (re.compile(rb"<>"), _READ_WRITE, lambda _: b"> "),
)
"""What a construct cannot be without, the construct, and what is put in its place."""


def readable(data: bytes) -> bytes:
    """Return a script of the same length in which every construct is one that the grammar can read.

    Bytes beyond ASCII become letters, which they are to bash: the grammar's C scanner looks characters up
    in a table of 256, and reads outside of it.
    """
    data = data if data.isascii() else _BEYOND_ASCII.sub(b"z", data)
    for needed, pattern, filler in _FILLED:
        if needed.search(data):
            data = pattern.sub(filler, data)
    return _with_subshells(data)


def _with_subshells(data: bytes) -> bytes:
    """Return the script with `$((` opened as a substitution that begins with a subshell, where it is no sum.

    Bash takes it for a sum only where its two parentheses are closed together.
    """
    text = bytearray(data)
    for match, _ in zip(_DOUBLE.finditer(data), range(_MAX_DOUBLES), strict=False):
        closing = _closing(data, match.end())
        if closing >= 0 and data[closing + 1 : closing + 2] != b")":
            text[match.end() - 1] = text[closing] = ord(" ")
    return bytes(text)


def _closing(data: bytes, start: int) -> int:
    """Return where the parenthesis before `start` is closed, or -1."""
    depth = 1
    for match in _PARENTHESIS.finditer(data, start, start + _MAX_SUM):
        depth += 1 if match[0] == b"(" else -1
        if depth == 0:
            return match.start()
    return -1
