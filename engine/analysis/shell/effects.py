"""Predicted effects of a script: hosts, ports, files, commands, variables and packages, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.effects import Effect, address, predicted_effects
from engine.analysis.shell.file_access import read, written
from engine.analysis.shell.flow import language_of
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.values import shown
from engine.models import EffectKind, PredictedEffect

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
_SHOWING = {"echo", "printf", "print", ":", "true", "false"}
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


def effects(script: Script) -> list[PredictedEffect]:
    """Return the predicted effects of the script."""
    return predicted_effects(
        effect for work in (_files, _network, _programs, _environment) for effect in work(script)
    )


def _files(script: Script) -> Iterator[Effect]:
    for target in written(script):
        if target.path and not target.path.startswith("/dev/") and "://" not in target.path:
            yield Effect(EffectKind.WRITE, paths.normal(target.path), target.by.row)
    for target in read(script):
        if (
            target.path
            and not target.path.startswith("/dev/")
            and "://" not in target.path
            and target.path not in {"-", "|"}
        ):
            yield Effect(EffectKind.READ, paths.normal(target.path), target.by.row)
    for command in script.named("rm", "rmdir", "unlink", "shred"):
        for arg in command.operands:
            yield Effect(EffectKind.WRITE, paths.normal(arg.text), command.row, "deleted")


def _network(script: Script) -> Iterator[Effect]:
    for command in script.commands:
        if ("://" in command.text or "://" in command.program.text) and not _only_shows(command):
            for arg in (command.program, *command.args):
                for match in _URL.finditer(arg.text):
                    yield from address(match[0], command.row)
        if command.name in _HOST_FIRST and not command.own:
            yield from _hosts(command)
    for redirect in script.redirects:
        if device := _DEVICE.search(redirect.target.text):
            yield Effect(EffectKind.HOST, device[1], redirect.row)
            yield Effect(EffectKind.PORT, device[2], redirect.row)


def _only_shows(command: Command) -> bool:
    """Return whether a command's words only reach whoever reads the output of the script."""
    return command.name in _SHOWING and not command.piped and not command.redirects and not command.own


def _hosts(command: Command) -> Iterator[Effect]:
    operands = [arg for arg in command.operands if "://" not in arg.text]
    for index, arg in enumerate(operands):
        match = _HOST.match(arg.text)
        if match and not (command.name in {"scp", "rsync"} and ":" not in arg.text):
            yield Effect(EffectKind.HOST, match[1], command.row)
            if match[2]:
                yield Effect(EffectKind.PORT, match[2], command.row)
        elif command.name in {"nc", "ncat", "netcat", "telnet"} and arg.text.isdigit() and index:
            yield Effect(EffectKind.PORT, arg.text, command.row)
    port = command.option("-p") if command.name in {"ssh", "nc", "ncat"} else None
    if port is not None and port.text.isdigit():
        yield Effect(EffectKind.PORT, port.text, command.row)


def _programs(script: Script) -> Iterator[Effect]:
    for command in script.commands:
        if command.own:
            continue
        for wrapper in command.wrappers:
            if wrapper not in _BUILTINS:
                yield Effect(EffectKind.COMMAND, wrapper, command.row)
        if command.name and command.name not in _BUILTINS:
            yield Effect(EffectKind.COMMAND, command.program.text, command.row)
        yield from _packages(command)


def _packages(command: Command) -> Iterator[Effect]:
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
            yield Effect(
                EffectKind.PACKAGE,
                re.split(r"[=<>~!;\[]|(?<=.)@", text)[0],
                command.row,
                shown(text) + " by " + name,
            )


def _environment(script: Script) -> Iterator[Effect]:
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
        yield Effect(EffectKind.ENVIRONMENT, name, script.tree.lines.point(match.start())[0])


def _quoted(text: str, position: int) -> bool:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line.count("'") % 2 == 1 and line.count('"') % 2 == 0
