"""What a script will want: hosts, ports, files, commands, variables and packages, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from engine.analysis import paths
from engine.analysis.shell.flow import language_of
from engine.analysis.shell.model import Arg, Command, Script
from engine.analysis.shell.values import UNKNOWN, shown
from engine.analysis.shell.writes import read, written
from engine.models import Certainty, Need, Prediction
from engine.text import Untrusted

_URL = re.compile(
    r"(?:https?|ftps?|sftp|wss?|telnet|gopher|ldaps?|git|ssh|rsync|socks5?)://[^\s'\"<>|\\)]+", re.IGNORECASE
)
_DEVICE = re.compile(r"/dev/(?:tcp|udp)/([^/\s]+)/(\w+|\x00)")
_HOST = re.compile(
    r"^(?:[^@\s/]+@)?((?:[\w\x00-]+\.)+[\w\x00-]{2,}|localhost"
    r"|(?:\d{1,3}\.){3}\d{1,3})(?::(\d+))?(?:[:/].*)?$"
)
_HOST_FIRST = {
    "ssh", "nc", "ncat", "netcat", "telnet", "ftp", "ping", "ping6", "dig", "nslookup", "host", "sftp",
    "traceroute", "whois", "scp", "rsync", "curl", "wget", "tftp", "mosh", "smbclient", "nmap",
}  # fmt: skip
_INSTALLERS = {
    "pip": {"install", "download"}, "pip3": {"install", "download"}, "npm": {"install", "i", "add", "exec"},
    "npx": set(), "yarn": {"add"},
    "pnpm": {"add", "install"}, "gem": {"install"}, "cargo": {"install", "add"}, "go": {"install", "get"},
    "apt": {"install"}, "apt-get": {"install"},
    "yum": {"install"}, "dnf": {"install"}, "apk": {"add"}, "brew": {"install"}, "pacman": {"-S", "-Sy"},
    "zypper": {"install", "in"}, "uv": {"add", "install"},
    "pipx": {"install", "run"}, "conda": {"install"}, "snap": {"install"}, "composer": {"require"},
    "port": {"install"}, "pkg": {"install"}, "easy_install": set(),
}  # fmt: skip
_BUILTINS = {
    "echo", "printf", "cd", "pwd", "export", "declare", "local", "typeset", "readonly", "unset", "set",
    "shift", "return", "exit", "break", "continue",
    "read", "test", "[", ":", "true", "false", "eval", "source", ".", "alias", "unalias", "trap", "wait",
    "let", "getopts", "shopt", "mapfile",
    "readarray", "type", "command", "builtin", "hash", "help", "history", "jobs", "fg", "bg", "disown",
    "umask", "ulimit", "times", "exec", "kill",
    "pushd", "popd", "dirs", "enable", "bind", "complete", "compgen", "caller", "logout", "suspend", "select",
}  # fmt: skip
_OWN_VARIABLES = re.compile(
    r"^(?:\d+|[@*#?!$_-]|BASH\w*|IFS|PWD|OLDPWD|RANDOM|SECONDS|LINENO|FUNCNAME|REPLY|OPTARG|OPTIND|PIPESTATUS"
    r"|EUID|UID|PPID|SHLVL|LINES|COLUMNS|PS\d|DIRSTACK|HOSTNAME|OSTYPE|MACHTYPE|HOSTTYPE|EPOCH\w+|COPROC"
    r"|MAPFILE|COMP_\w+|READLINE_\w+|SHELLOPTS)$"
)
_VARIABLE = re.compile(r"\$\{?[#!]?([A-Za-z_]\w*)")


class _Want(NamedTuple):
    """Something that is wanted, and the line that says so."""

    need: Need
    value: str
    line: int
    note: str = ""


def predictions(script: Script) -> list[Prediction]:
    """Return what the script will want, one prediction for each need and value."""
    wants: dict[tuple[Need, str], list[_Want]] = {}
    for work in (_files, _network, _programs, _environment):
        for want in work(script):
            wants.setdefault((want.need, want.value), []).append(want)
    return [_prediction(group) for group in wants.values()]


def _prediction(group: list[_Want]) -> Prediction:
    first = group[0]
    return Prediction(
        need=first.need,
        value=Untrusted(first.value.replace(UNKNOWN, "*")[:512]),
        certainty=_certainty(first.value),
        lines=tuple(sorted({want.line for want in group})),
        note=first.note,
    )


def _certainty(value: str) -> Certainty:
    if UNKNOWN not in value:
        return Certainty.EXACT
    return Certainty.PATTERN if value.strip(UNKNOWN + "/.:*") else Certainty.UNKNOWN


def _files(script: Script) -> Iterator[_Want]:
    for target in written(script):
        if target.path and not target.path.startswith("/dev/") and "://" not in target.path:
            yield _Want(Need.WRITE, paths.normal(target.path), target.by.row)
    for target in read(script):
        if (
            target.path
            and not target.path.startswith("/dev/")
            and "://" not in target.path
            and target.path not in {"-", "|"}
        ):
            yield _Want(Need.READ, paths.normal(target.path), target.by.row)
    for command in script.named("rm", "rmdir", "unlink", "shred"):
        for arg in command.operands:
            yield _Want(Need.WRITE, paths.normal(arg.text), command.row, "deleted")


def _network(script: Script) -> Iterator[_Want]:
    for command in script.commands:
        if "://" in command.text or "://" in command.program.text:
            for arg in (command.program, *command.args):
                yield from _addresses(arg, command.row)
        if command.name in _HOST_FIRST and not command.own:
            yield from _hosts(command)
    for redirect in script.redirects:
        if match := _DEVICE.search(redirect.target.text):
            yield _Want(Need.HOST, match[1], redirect.span.line)
            yield _Want(Need.PORT, match[2], redirect.span.line)


def _addresses(arg: Arg, line: int) -> Iterator[_Want]:
    for match in _URL.finditer(arg.text):
        url = match[0]
        yield _Want(Need.URL, url, line)
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            continue
        if host:
            yield _Want(Need.HOST, host, line)
        if port:
            yield _Want(Need.PORT, str(port), line)


def _hosts(command: Command) -> Iterator[_Want]:
    operands = [arg for arg in command.operands if "://" not in arg.text]
    for index, arg in enumerate(operands):
        match = _HOST.match(arg.text)
        if match and not (command.name in {"scp", "rsync"} and ":" not in arg.text):
            yield _Want(Need.HOST, match[1], command.row)
            if match[2]:
                yield _Want(Need.PORT, match[2], command.row)
        elif command.name in {"nc", "ncat", "netcat", "telnet"} and arg.text.isdigit() and index:
            yield _Want(Need.PORT, arg.text, command.row)
    port = command.option("-p") if command.name in {"ssh", "nc", "ncat"} else None
    if port is not None and port.text.isdigit():
        yield _Want(Need.PORT, port.text, command.row)


def _programs(script: Script) -> Iterator[_Want]:
    for command in script.commands:
        if command.own:
            continue
        for wrapper in command.wrappers:
            if wrapper not in _BUILTINS:
                yield _Want(Need.COMMAND, wrapper, command.row)
        if command.name and command.name not in _BUILTINS:
            yield _Want(Need.COMMAND, command.program.text, command.row)
        yield from _packages(command)


def _packages(command: Command) -> Iterator[_Want]:
    name, args = command.name, list(command.operands)
    if language_of(name) == "python" and command.words[:2] == ["-m", "pip"]:
        name, args = "pip", args[1:]
    verbs = _INSTALLERS.get(name)
    if verbs is None or not args:
        return
    texts = [arg.text for arg in args]
    if verbs and not verbs & set(texts[:2]) and not verbs & set(command.words):
        return
    for text in texts:
        if text not in verbs | {"pip", "global", "tool"} and re.match(r"[@\w\x00]", text):
            yield _Want(
                Need.PACKAGE,
                re.split(r"[=<>~!;\[]|(?<=.)@", text)[0],
                command.row,
                shown(text) + " by " + name,
            )


def _environment(script: Script) -> Iterator[_Want]:
    assigned = {name for name, _, _ in script.assignments} | {
        word
        for command in script.named("read", "mapfile", "readarray", "getopts", "local", "declare")
        for word in command.words
    }
    text, seen = script.tree.text, set[str]()
    loops = set(re.findall(r"\b(?:for|select)\s+(\w+)", text))
    for match in _VARIABLE.finditer(text) if "$" in text else ():
        name = match[1]
        if name in assigned or name in loops or name in seen or _OWN_VARIABLES.match(name):
            continue
        if text.rfind("'", 0, match.start()) > text.rfind("\n", 0, match.start()) and _quoted(
            text, match.start()
        ):
            continue
        seen.add(name)
        yield _Want(Need.ENVIRONMENT, name, script.tree.lines.point(match.start())[0])


def _quoted(text: str, position: int) -> bool:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line.count("'") % 2 == 1 and line.count('"') % 2 == 0
