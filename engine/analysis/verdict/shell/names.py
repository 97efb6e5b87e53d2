"""The names of variables that may be read and assigned: those that only the script itself gives a meaning."""

from __future__ import annotations

import re

from engine.analysis.verdict.shell.values import NUMBER, TEXT, Value

NAME = re.compile(r"(?a)[A-Za-z_][A-Za-z0-9_]*")
_LOWER = re.compile(r"(?a)[a-z]")
READABLE: dict[str, Value] = {
    **dict.fromkeys(
        ("RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "PPID", "BASHPID",
         "BASH_SUBSHELL"), NUMBER
    ),
    **dict.fromkeys(
        ("REPLY", "BASH_REMATCH", "FUNCNAME", "BASH_VERSION", "IFS", "PIPESTATUS", "UID", "EUID", "_"),
        TEXT
    ),
}  # fmt: skip
"""Variables of the shell that may be read, and what they hold: bash takes `UID`, `EUID` and `PIPESTATUS`
from the environment where it has them, so that they need not be numbers."""
_OWN = frozenset({"REPLY", "_"})
"""Variables of the shell that may be assigned: what they do is part of the proof."""
_SPECIAL = frozenset({
    "PATH", "HOME", "PWD", "OLDPWD", "CDPATH", "ENV", "SHELL", "SHLVL", "USER", "LOGNAME", "UID", "EUID",
    "PPID", "GROUPS", "HOSTNAME", "HOSTTYPE", "HOSTFILE", "HOSTALIASES", "MACHTYPE", "OSTYPE", "TERM",
    "TERMINFO", "TMPDIR", "TMP", "TEMP", "TMOUT", "TIMEFORMAT", "TZ", "TZDIR", "IFS", "MAIL", "MAILPATH",
    "MAILCHECK", "PROMPT_COMMAND", "PROMPT_DIRTRIM", "RANDOM", "SRANDOM", "SECONDS", "LINENO",
    "EPOCHSECONDS", "EPOCHREALTIME", "PIPESTATUS", "FUNCNAME", "FUNCNEST", "DIRSTACK", "SHELLOPTS",
    "OPTIND", "OPTARG", "OPTERR", "GLOBIGNORE", "GLOBSORT", "EXECIGNORE", "FIGNORE", "IGNOREEOF", "INPUTRC",
    "INSIDE_EMACS", "POSIXLY_CORRECT", "CHILD_MAX", "EMACS", "FCEDIT", "EDITOR", "VISUAL", "PAGER",
    "COPROC", "MAPFILE", "READLINE_LINE", "READLINE_POINT", "READLINE_MARK", "READLINE_ARGUMENT", "COLUMNS",
    "LINES", "LANG", "LANGUAGE", "NLSPATH", "LOCPATH", "LS_COLORS", "BLOCK_SIZE", "BLOCKSIZE", "DATEMSK",
    "CHARSET", "OUTPUT_CHARSET", "TEXTDOMAIN", "TEXTDOMAINDIR", "GCONV_PATH", "GETCONF_DIR", "RESOLV_ADD",
    "ARGV0", "AWKPATH", "AWKLIBPATH", "AWKBUFSIZE", "COLS", "MEMLOG", "IO", "_POSIX2_VERSION",
})  # fmt: skip
_FAMILIES = re.compile(
    r"(?a)PS\d|(?:LD|LC|BASH|COMP|HIST|MALLOC|GLIBC|GREP|GAWK|AWK|BC|DC|JQ|RES|LOC|NLS|PYTHON|PERL|NODE|GIT|SSL"
    r"|DEBUG|DOCKER|PRATIQUE|TEXTDOMAIN|POSIX|PROMPT)(?:_.*|[A-Z0-9]*)|.*_PROXY|NO_PROXY"
)
_LOWERCASE = frozenset({"auto_resume", "histchars"})
LOCALES = frozenset({"LC_ALL", "LANG", "LC_CTYPE", "LC_COLLATE", "LC_NUMERIC"})
"""Variables that choose a locale."""
_LOCALES = frozenset({"C", "POSIX", "C.UTF-8", "C.utf8", "en_US.UTF-8", ""})


def may_assign(name: str) -> bool:
    """Return whether a variable means nothing to the shell, the library or a listed command."""
    if name in _OWN:
        return True
    if _LOWER.search(name):
        return name not in _LOWERCASE and not name.lower().endswith("_proxy")
    return name not in _SPECIAL and not _FAMILIES.fullmatch(name)


def is_locale(name: str, text: str | None) -> bool:
    """Return whether an assignment chooses a locale of the system by its usual name."""
    return name in LOCALES and text in _LOCALES


def is_unset_in_sandbox(name: str) -> bool:
    """Return whether the environment of a sandbox has no such name: all of its names are upper case."""
    return bool(_LOWER.search(name)) and not name.lower().endswith("_proxy")
