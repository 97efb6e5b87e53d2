"""Syntax of Python 3.12 to 3.14 written as 3.11 parses it, with every line and nearly every column kept.

Type parameters (PEP 695), nested quotes and backslashes in f-strings (PEP 701), `except A, B:` (PEP 758).
"""

from __future__ import annotations

import re

_PARAMETERS = re.compile(r"^[ \t]*(?:class|type|(?:async[ \t]+)?def)[ \t]+\w+[ \t]*(\[)", re.MULTILINE)
_ALIAS = re.compile(r"^([ \t]*)(type[ \t]+)(\w+)[ \t]*(\[|=(?!=))", re.MULTILINE)
_EXCEPT = re.compile(r"^([ \t]*)except[ \t]+([\w.]+(?:[ \t]*,[ \t]*[\w.]+)+)[ \t]*:", re.MULTILINE)
_COMMENT_OR_STRING = re.compile(r"""#[^\n]*|(?<!\w)([a-zA-Z]{0,2})('''|\"\"\"|'|\")""")


def older(source: str) -> str:
    """Return `source` in the syntax of 3.11; text that has none of the newer syntax comes back as it is."""
    text = _without_parameters(source)
    text = _ALIAS.sub(_plain_alias, text)
    text = _EXCEPT.sub(_parenthesised, text)
    return _plain_fstrings(text)


def _without_parameters(text: str) -> str:
    for match in reversed(list(_PARAMETERS.finditer(text))):
        start = match.start(1)
        text = _blanked(text, start, _closing(text, start))
    return text


def _closing(text: str, start: int) -> int:
    depth = 0
    for index in range(start, min(len(text), start + 2000)):
        depth += (text[index] == "[") - (text[index] == "]")
        if depth == 0:
            return index + 1
    return start


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def _plain_alias(match: re.Match[str]) -> str:
    indent, _, name, mark = match.groups()
    if mark == "[":
        return match.group()
    rest = len(match.group()) - len(indent) - len(name) - 1
    return f"{indent}{name}{' ' * rest}="


def _parenthesised(match: re.Match[str]) -> str:
    names = ",".join(part.strip() for part in match.group(2).split(","))
    return f"{match.group(1)}except({names}):".ljust(len(match.group()))


def _plain_fstrings(text: str) -> str:
    parts: list[str] = []
    index = 0
    while match := _COMMENT_OR_STRING.search(text, index):
        parts.append(text[index : match.end()])
        index = match.end()
        if match.group(2) is None:
            continue
        if "f" in (match.group(1) or "").lower():
            body, index = _fstring_body(text, index, match.group(2))
        else:
            end = _string_end(text, index, match.group(2))
            body, index = text[index:end], end
        parts.append(body)
    return "".join((*parts, text[index:]))


def _string_end(text: str, index: int, quote: str) -> int:
    """Return the index after the closing quote."""
    while index < len(text):
        if text[index] == "\\":
            index += 2
        elif text.startswith(quote, index):
            return index + len(quote)
        elif text[index] == "\n" and len(quote) == 1:
            return index
        else:
            index += 1
    return index


def _fstring_body(text: str, index: int, quote: str) -> tuple[str, int]:
    """Return an f-string's text, with the quotes and backslashes of its fields made harmless, and its end."""
    parts: list[str] = []
    depth = 0
    other = "'" if quote[0] == '"' else '"'
    while index < len(text):
        char = text[index]
        if depth == 0 and text.startswith(quote, index):
            return "".join((*parts, quote)), index + len(quote)
        if text[index : index + 2] in ("{{", "}}") and depth == 0:
            parts.append(text[index : index + 2])
            index += 2
            continue
        depth += (char == "{") - (char == "}" and depth > 0)
        if depth and char == quote[0]:
            char = other
        elif char == "\\":
            char = "  " if depth else text[index : index + 2]
            index += 1
        elif char == "\n" and len(quote) == 1:
            if depth == 0:
                break
            char = " "
        parts.append(char)
        index += 1
    return "".join(parts), index
