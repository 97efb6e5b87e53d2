"""Programs within the script: formats of `printf`, and the scripts of `sed` and `awk`."""

from __future__ import annotations

import re

_CONVERSION = re.compile(
    r"(?a)%(?:%|[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|-?\d+)?)?(?:hh|ll|[hlLjzt])?[diouxXeEfFgGaAcsbqQ]"
    r"|-?\d*\([^()\0]*\)T)|[^%]",
    re.DOTALL,
)


def _regex(mark: str) -> str:
    """Return what `sed` reads up to a mark, for which it does not look between brackets."""
    ends, kinds = re.escape(mark), "" if mark == ":" else r"\[:[a-z]+:\]|"
    brackets = rf"\[\^?+\]?+(?:{kinds}[^{ends}\\\n\[\]]|\\[^\n\[\]])*+\]"
    return rf"(?:[^{ends}\\\n\[]|\\[^\n]|{brackets})*+{ends}"


_ADDRESS = rf"(?:\d+(?:~\d+)?|\$|/{_regex('/')}I?)"
_REPLACES = "|".join(
    rf"s{re.escape(mark)}{_regex(mark)}(?:[^{re.escape(mark)}\\\n]|\\[^\n])*+{re.escape(mark)}[gpiI0-9]*+"
    for mark in "/|#,:@%_"
)
_TRANSLATES = r"y/(?:[^/\\\n]|\\[^\n])*+/(?:[^/\\\n]|\\[^\n])*+/"
_EDITS = rf"(?:[dDgGhHnNpPx=lz]|[qQ]\d*|{_REPLACES}|{_TRANSLATES})"
_COMMAND = rf"(?:{_ADDRESS}(?:,(?:{_ADDRESS}|\+\d+))?)?[ ]*+!?{_EDITS}"
_SED = re.compile(rf"(?a)[ ]*+{_COMMAND}(?:[ ]*+[;\n][ ]*+{_COMMAND})*+[ ]*+[;\n]?[ ]*+")
_AWK_TOKEN = re.compile(
    r"""(?ax)(?P<space>[ \t\n;{}]+|\\\n|\#[^\n]*)
    | (?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)
    | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
    | (?P<name>[A-Za-z_]\w*)
    | (?P<operator>\+\+|--|\*\*|[-+*/%^]=|==|<=|!=|&&|\|\||!~|[-+*%^!~?:,$=()\[\]<])"""
)
_AWK_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\[^\n]|\[\^?\]?[^\]\n]*\])+/")
_AWK_NAMES = frozenset({
    "BEGIN", "END", "NR", "NF", "FS", "OFS", "ORS", "RS", "FNR", "RSTART", "RLENGTH", "SUBSEP", "if", "else",
    "while", "for", "do", "in", "break", "continue", "next", "exit", "delete", "print", "printf", "length",
    "substr", "index", "split", "sub", "gsub", "match", "sprintf", "tolower", "toupper", "int", "sqrt", "exp",
    "log", "sin", "cos", "atan2", "rand", "srand",
})  # fmt: skip
_AWK_REFUSED = frozenset({
    "system", "getline", "close", "fflush", "nextfile", "include", "load", "namespace", "function", "func",
    "extension", "strftime", "systime", "mktime", "asort", "asorti", "gensub", "patsplit", "typeof",
    "strtonum", "and", "or", "xor", "compl", "lshift", "rshift", "bindtextdomain", "dcgettext", "dcngettext",
    "isarray", "mkbool", "switch", "case", "default", "return", "eval",
})  # fmt: skip
_AWK_EFFECTS = re.compile(
    r"[>@]|ARG[CIV]|ENVIRON|PROCINFO|FILENAME|SYMTAB|FUNCTAB|TEXTDOMAIN|textdomain|gettext"
    r"|system|getline|extension|include"
)
"""What no program without effects has to have anywhere, however its slashes and quotes are read."""
_AWK_OWN = re.compile(r"[a-z]\w*")
_ENDS_OPERAND = frozenset({")", "]", "$"})
MOST = 4000
"""How many characters of such a program are looked at."""


def is_format(shape: str) -> bool:
    """Return whether a format of `printf` has only conversions that assign nothing (`%n` does)."""
    at = 0
    while at < len(shape):
        found = _CONVERSION.match(shape, at)
        if found is None:
            return False
        at = found.end()
    return True


def is_pure_sed(script: str) -> bool:
    """Return whether a script of `sed` has only commands that edit the text that it reads."""
    return len(script) <= MOST and _SED.fullmatch(script) is not None


def is_pure_awk(program: str) -> bool:
    """Return whether a program of `awk` neither redirects, nor runs, nor reads anything but its input."""
    at, operand = 0, False
    if len(program) > MOST or _AWK_EFFECTS.search(program) or "|" in program.replace("||", ""):
        return False
    while at < len(program):
        found = None if operand or program[at] != "/" else _AWK_REGEX.match(program, at)
        if found is None:
            found = _AWK_TOKEN.match(program, at)
            if found is None and program[at] == "/":
                at, operand = at + 1, False
                continue
            if found is None or (found["name"] and not _is_awk_name(program, found)):
                return False
        kind, at = found.lastgroup, found.end()
        if kind != "space":
            operand = kind in {None, "number", "string", "name"} or found[0] in _ENDS_OPERAND
        elif found[0][0] in "\n;{}":
            operand = False
    return True


def _is_awk_name(program: str, found: re.Match[str]) -> bool:
    """Return whether a name is a listed one or a variable of the program's own."""
    name = found[0]
    if name in _AWK_NAMES:
        return True
    called = program[found.end() : found.end() + 1] == "("
    return bool(_AWK_OWN.fullmatch(name)) and name not in _AWK_REFUSED and not called
