"""Programs that run a command from an option, their input or a variable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.analysis.shell.flow import given
from engine.analysis.shell.model import Arg, Command
from engine.analysis.shell.values import UNKNOWN


@dataclass(frozen=True, slots=True)
class NestedCommand:
    """A command that is passed to a program."""

    text: str
    layer: str
    """Through what: `man -P`, `$PAGER`."""
    arg: Arg | None = None
    """The argument that holds it."""
    usual: bool = False
    """Whether the program is there to run commands, so that everybody expects one."""


_COMPILERS = ("gcc", "g++", "cc", "c++", "clang", "clang++")
_OPTIONS: dict[str, tuple[str, ...]] = {
    "man": ("-P", "--pager", "-H", "--html"),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), (
        "-I", "--use-compress-program", "--to-command", "-F", "--info-script", "--new-volume-script",
        "--rmt-command", "--rsh-command", "--checkpoint-action=exec",
    )),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "scp": ("-S",),
    "sftp": ("-S",),
    "script": ("-c", "--command"),
    "zip": ("-TT", "--unzip-command"),
    "split": ("--filter",),
    "sort": ("--compress-program",),
    "tcpdump": ("-z",),
    "wget": ("--use-askpass",),
    "mapfile": ("-C",),
    "readarray": ("-C",),
    "complete": ("-C",),
    "compgen": ("-C",),
    "start-stop-daemon": ("-x", "--exec", "-a", "--startas"),
    **dict.fromkeys(_COMPILERS, ("-wrapper",)),
}  # fmt: skip
_USUAL = frozenset({"script", "start-stop-daemon", "split", "complete", "compgen", "mapfile", "readarray"})
_SSH = re.compile(r"(?i)^(?:-o)?\s*(?:Proxy|Local|KnownHosts|Remote)Command[= ]\s*(.+)", re.DOTALL)
_KEY = re.compile(
    r"(?i)^(?:core\.(?:pager|editor|sshcommand|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\.\S+"
    r"|(?:diff|merge|filter|difftool|mergetool|browser|man|gpg|credential|uploadpack)\."
    r"(?:\S+\.)?(?:external|textconv|command|driver|clean|smudge|process|cmd|helper|program|packobjectshook)"
    r"|alias\.\S+)$"
)
_GIT_VERBS = re.compile(r"^(?:bisect run|submodule foreach(?: --recursive)?) (.+)", re.DOTALL)
_GIT_OPTIONS = ("--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--exec", "--extcmd")
_GIT_SHORT = {"rebase": "-x", "grep": "-O", "difftool": "-x"}
_GIT_HIDDEN = ("--upload-pack", "--receive-pack", "--open-files-in-pager")
_ESCAPE = re.compile(r"^\s*(?:\\?!|shell\s|system\s|\\!)\s*(.+)")
_ESCAPABLE = frozenset({"ed", "ex", "ftp", "cpan", "journalctl", "mysql", "gdb", "lldb", "nmap", "sftp"})
_PROGRAM = re.compile(r"(?is)\b(?:FROM|TO)\s+PROGRAM\s+'([^']+)'|\\!\s*(\S.*)")
_MAX_SCRIPT = 1000
_SED = re.compile(
    r"^(?:\d+|\$|/[^/]*/)?(?:,(?:\d+|\$))?\s*e(?:\s+(.+))?$"
    r"|^(?:\d+|\$|/[^/]*/)?\s*s([^\w\s]).*\2.*\2[gp\d]*e[gp\d]*$"
)
_RECIPE = re.compile(r"(?m)^(?:\t|[^\s:=]+:[^=;\n]*;)[@+-]*(.+)")
_BOUND = re.compile(r"^\s*\"[^\"]*\"\s*:\s*(.+)", re.DOTALL)


def nested_commands(command: Command) -> Iterator[NestedCommand]:
    """Yield the commands that `command` runs."""
    for name in _OPTIONS.get(command.name, ()):
        arg = command.option(name)
        if arg is not None:
            text = arg.text.replace(",", " ") if name == "-wrapper" else arg.text
            yield NestedCommand(text, f"{command.name} {name}", arg, usual=command.name in _USUAL)
    work = _WORKS.get(command.name)
    if work is not None:
        yield from work(command)
    if command.name in _ESCAPABLE:
        yield from _escaped(command)


def _matched(command: Command, pattern: re.Pattern[str]) -> Iterator[NestedCommand]:
    for arg in command.args:
        match = pattern.search(arg.text)
        text = next((group for group in match.groups() if group), "") if match else ""
        if text:
            yield NestedCommand(text, command.name, arg)


def _ssh(command: Command) -> Iterator[NestedCommand]:
    return (one for one in _matched(command, _SSH) if one.text.lower() != "none")


def _git(command: Command) -> Iterator[NestedCommand]:
    words = command.words
    for index, arg in enumerate(command.args):
        name, equals, value = arg.text.partition("=")
        if equals and index and words[index - 1] == "-c":
            yield from _configured(name, value, arg)
        elif "config" in words[:index] and index + 1 < len(words):
            yield from _configured(arg.text, words[index + 1], command.args[index + 1])
        elif arg.text.startswith("ext::"):
            yield NestedCommand(re.sub(r"%(.)", r"\1", arg.text[5:]), "git ext::", arg)
    for name in (*_GIT_OPTIONS, *_GIT_HIDDEN):
        option = command.option(name)
        if option is not None:
            yield NestedCommand(option.text, f"git {name}", option, usual=name in _GIT_OPTIONS)
    for verb, name in _GIT_SHORT.items():
        option = command.option(name) if verb in words else None
        if option is not None:
            yield NestedCommand(option.text, f"git {verb} {name}", option, usual=verb == "rebase")
    run = _GIT_VERBS.match(command.text)
    if run is not None:
        yield NestedCommand(run[1], "git", usual=True)


def _configured(key: str, value: str, arg: Arg) -> Iterator[NestedCommand]:
    alias = key.lower().startswith(("alias.", "credential."))
    if _KEY.match(key) and value not in {"true", "false", ""} and (not alias or value.startswith("!")):
        yield NestedCommand(value.lstrip("!"), f"git {key}", arg)


def _escaped(command: Command) -> Iterator[NestedCommand]:
    """Commands behind a `!`, in the arguments or on the input of a program that knows it."""
    for line in given(command).split("\n") if command.feed or command.upstream else ():
        match = _ESCAPE.match(line)
        if match:
            yield NestedCommand(match[1], f"{command.name} !")
    for index, arg in enumerate(command.args):
        match = _ESCAPE.match(arg.text)
        if match and index and command.words[index - 1] in {"-ex", "-o", "--eval-command", "-e"}:
            yield NestedCommand(match[1], f"{command.name} !", arg)


def _sed(command: Command) -> Iterator[NestedCommand]:
    scripts = _sed_scripts(command)
    for script in scripts or command.operands[:1]:
        match = _SED.match(script.text) if len(script.text) <= _MAX_SCRIPT else None
        if match:
            yield NestedCommand(match[1] or "…", "sed e", script)


def _sed_scripts(command: Command) -> list[Arg]:
    """Return the values of all options `-e`."""
    found = [
        after for arg, after in pairwise(command.args) if re.fullmatch(r"-[nErsuz]*e|--expression", arg.text)
    ]
    glued = [
        arg._replace(text=arg.text.partition("=")[2])
        for arg in command.args
        if arg.text.startswith("--expression=")
    ]
    return found + glued


def _make(command: Command) -> Iterator[NestedCommand]:
    option = command.option("--eval")
    file = command.option("-f", "--file", "--makefile")
    fed = given(command) if file is not None and file.text in {"-", "/dev/stdin"} else ""
    shell = next((arg for arg in command.args if arg.text.startswith("SHELL=")), None)
    if shell is not None:
        yield NestedCommand(shell.text.removeprefix("SHELL="), "make SHELL", shell)
    for text in (option.text if option is not None else "", fed):
        for recipe in _RECIPE.finditer(text):
            yield NestedCommand(recipe[1].replace("$$", "$"), "make", option, usual=True)


def _bind(command: Command) -> Iterator[NestedCommand]:
    return _matched(command, _BOUND) if "-x" in command.words else iter(())


def _terminal(command: Command) -> Iterator[NestedCommand]:
    for arg in command.operands:
        if re.search(r"[\s;|&]", arg.text):
            yield NestedCommand(arg.text, command.name, arg, usual=True)


def _capsh(command: Command) -> Iterator[NestedCommand]:
    if "--" in command.words:
        rest = command.args[command.words.index("--") + 1 :]
        text = rest[1].text if len(rest) > 1 and rest[0].text == "-c" else "sh"
        yield NestedCommand(text, "capsh --")


def _scheduled(command: Command) -> Iterator[NestedCommand]:
    text = given(command)
    if text.strip(UNKNOWN + " \n"):
        yield NestedCommand(text, command.name, usual=True)


_WORKS: dict[str, Callable[[Command], Iterator[NestedCommand]]] = {
    "ssh": _ssh, "scp": _ssh, "sftp": _ssh, "git": _git, "sed": _sed, "gsed": _sed, "make": _make,
    "gmake": _make, "bind": _bind, "tmux": _terminal, "capsh": _capsh, "at": _scheduled,
    "batch": _scheduled, "psql": lambda command: _matched(command, _PROGRAM),
    "mysql": lambda command: _matched(command, _PROGRAM),
}  # fmt: skip
