"""Data flow between commands: the text that one prints and another reads."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis.shell.model import Command
from engine.analysis.shell.pure_commands import output
from engine.analysis.shell.values import UNKNOWN
from engine.common.caches.short_cache import short_cache

DOWNLOADERS = frozenset({
    "curl", "wget", "aria2c", "lynx", "links", "elinks", "w3m", "fetch", "axel", "http", "https", "httpie",
    "GET", "lwp-request", "lwp-download", "ftp", "tftp", "nscurl", "curlie", "xh", "wget2", "youtube-dl",
})  # fmt: skip
DECODERS = frozenset({
    "base64", "gbase64", "base32", "b64decode", "xxd", "uudecode", "openssl", "gunzip", "zcat", "bzcat",
    "xzcat", "rev", "rot13", "tr", "gpg", "hexdump", "od", "unxz", "bunzip2", "zstdcat", "lz4cat",
})  # fmt: skip
SHELLS = frozenset(
    {"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "mksh", "rbash", "pwsh"}
)
SCRIPTS = {
    "python": "python", "python2": "python", "python3": "python", "pypy": "python", "pypy3": "python",
    "node": "javascript", "nodejs": "javascript", "deno": "javascript", "bun": "javascript",
}  # fmt: skip
OTHERS = frozenset({
    "perl", "ruby", "php", "lua", "luajit", "awk", "gawk", "mawk", "tclsh", "osascript", "Rscript",
    "groovy", "expect", "guile", "julia", "swift", "jjs", "psql", "mysql", "go", "v",
})  # fmt: skip
INTERPRETERS = SHELLS | frozenset(SCRIPTS) | (OTHERS - {"awk", "gawk", "mawk", "psql", "mysql", "go", "v"})


@short_cache(4096)
def language_of(name: str) -> str | None:
    """Return `python` or `javascript` for an interpreter of theirs, versions included (`python3.11`)."""
    return SCRIPTS.get(name) or SCRIPTS.get(name.rstrip("0123456789."))


@short_cache(4096)
def is_interpreter(name: str) -> bool:
    """Return whether a program runs code that it is given."""
    return name in INTERPRETERS or language_of(name) is not None


def before(command: Command) -> Iterator[Command]:
    """Yield every command whose output reaches `command` through pipes, the nearest first."""
    seen: set[int] = set()
    stack = list(command.upstream)
    while stack:
        found = stack.pop()
        if id(found) not in seen:
            seen.add(id(found))
            yield found
            stack.extend(found.upstream)


def given(command: Command, depth: int = 0) -> str:
    """Return the text on a command's input, unknown where it cannot be worked out."""
    if command.feed is not None:
        return command.feed.text
    if len(command.upstream) != 1 or depth > 16:
        return "" if not command.upstream else UNKNOWN
    return printed(command.upstream[0], depth + 1)


def printed(command: Command, depth: int = 0) -> str:
    """Return what a command prints, unknown where it cannot be worked out."""
    if command.own or any(redirect.writes and redirect.operator[:1] != "2" for redirect in command.redirects):
        return UNKNOWN
    return output(command.name, command.words, given(command, depth))


def decoded_layers(command: Command) -> tuple[str, ...]:
    """Return the decoders that the input of `command` went through, outermost first."""
    return tuple(found.name for found in before(command) if found.name in DECODERS)
