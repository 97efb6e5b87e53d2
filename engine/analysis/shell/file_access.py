"""Every file that a script writes or reads, by redirection or by a command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.analysis.shell.expansion import unescaped
from engine.analysis.shell.flow import given
from engine.analysis.shell.model import Arg, Command, Redirect, Script
from engine.analysis.shell.values import shown
from engine.models import Evidence, Span


@dataclass(frozen=True, slots=True)
class FileAccess:
    """A file that is written or read, and by what."""

    path: str
    by: Command | Redirect

    @property
    def command(self) -> Command | None:
        """The command, unless it is a redirection."""
        return self.by if isinstance(self.by, Command) else None

    @property
    def span(self) -> Span:
        """Where it is named."""
        return self.by.span

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The assignments from which the name came."""
        return self.by.evidence

    @property
    def shown(self) -> str:
        """The path for people."""
        return shown(self.path)[:160]


_LAST = {"cp", "mv", "install", "ln", "rsync", "scp", "gcp", "ditto", "link", "gln"}
_EVERY = {
    "tee",
    "touch",
    "mkdir",
    "nano",
    "vim",
    "vi",
    "emacs",
    "sponge",
    "mkfifo",
    "mknod",
    "chattr",
    "ed",
    "ex",
    "patch",
}
_READERS = {
    "cat", "less", "more", "head", "tail", "tac", "nl", "strings", "xxd", "hexdump", "od", "base64", "sort",
    "uniq", "cut",
    "awk", "gawk", "sed", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "wc", "diff", "cmp", "file",
    "stat", "cp", "mv", "scp", "rsync",
    "tar", "zip", "gzip", "bzip2", "xz", "7z", "openssl", "gpg", "curl", "source", ".", "python", "python3",
    "perl", "ruby", "jq", "bat", "dd",
    "readlink", "rev", "tee", "mapfile", "md5sum", "sha256sum", "sha1sum", "split", "column", "paste",
    "join", "comm", "fold", "fmt", "nc",
    "install", "ln", "gcp", "ditto", "rclone", "mail", "vim", "vi", "nano", "view", "unshadow", "john",
    "hashcat", "sqlite3", "plutil",
    "zcat", "look", "pr", "expand", "dos2unix", "iconv", "basenc", "base32", "busybox", "csplit", "shuf",
    "tr", "getfacl", "debugfs", "ed",
}  # fmt: skip
_PATTERN_FIRST = {
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "sed",
    "awk",
    "gawk",
    "jq",
    "perl",
    "tr",
    "look",
}


def written(script: Script) -> list[FileAccess]:
    """Return every file that is written."""
    return script.once("written", lambda script: list(_written(script)))


def _written(script: Script) -> Iterator[FileAccess]:
    for redirect in script.redirects:
        if (redirect.writes and not redirect.operator.endswith("&")) or _is_file(
            redirect.operator, redirect.target
        ):
            yield FileAccess(redirect.target.text, redirect)
    for command in script.commands:
        if not command.own:
            for arg in _targets(command):
                yield FileAccess(arg.text, command)


def _is_file(operator: str, target: Arg) -> bool:
    return operator.endswith(">&") and not target.text.rstrip("-").isdigit()


def _targets(command: Command) -> list[Arg]:
    if command.name in _EVERY:
        return command.operands
    work = _TARGETS.get(command.name)
    return work(command) if work else []


def _copied_to(command: Command) -> list[Arg]:
    folder = command.option("-t", "--target-directory")
    if folder is not None:
        return [folder]
    if len(command.operands) < 2:
        return []
    source, last = command.operands[0].text, command.operands[-1]
    inside = last.text.rstrip("/") + "/" + source.rstrip("/").rsplit("/", 1)[-1]
    return [last] if command.name == "ln" else [last, Arg(inside, last.start, last.end)]


def _edited(command: Command) -> list[Arg]:
    if not any(re.match(r"-i|--in-place|-p\w*i", word) for word in command.words):
        return []
    return command.operands if command.has("", "-e", "-f") else command.operands[1:]


def _dumped(command: Command) -> list[Arg]:
    return _after(command, "of=")


def _after(command: Command, key: str) -> list[Arg]:
    args = [arg for arg in command.args if arg.text.startswith(key)]
    return [Arg(arg.text[len(key) :], arg.start, arg.end, arg.taints) for arg in args]


def _saved(command: Command) -> list[Arg]:
    names = ("-O", "--output-document") if command.name == "wget" else ("-o", "--output")
    target = command.option(*names)
    return [target] if target is not None and target.text != "-" else []


def _sized(command: Command) -> list[Arg]:
    size = command.option("-s", "--size")
    return [arg for arg in command.operands if size is None or arg != size]


_TARGETS = {
    **dict.fromkeys(_LAST, _copied_to),
    **dict.fromkeys(("sed", "gsed", "perl", "ruby"), _edited),
    **dict.fromkeys(("dd", "gdd"), _dumped),
    **dict.fromkeys(("curl", "wget", "nscurl"), _saved),
    **dict.fromkeys(("truncate", "gtruncate"), _sized),
}


def read(script: Script) -> list[FileAccess]:
    """Return every file that is read."""
    return script.once("read", lambda script: list(_read(script)))


def _read(script: Script) -> Iterator[FileAccess]:
    for redirect in script.redirects:
        if redirect.operator.rstrip("0123456789") == "<":
            yield FileAccess(redirect.target.text, redirect)
    for command in script.commands:
        if command.own:
            continue
        for arg in _sources(command):
            yield FileAccess(arg.text, command)


def _sources(command: Command) -> list[Arg]:
    name = command.name
    if name not in _READERS and not name.startswith("python"):
        return []
    if name in {"ed", "ex"}:
        return [*command.operands, *_named_on_input(command)]
    if "xargs" in command.wrappers:
        return [*_named(command), *command.operands, *_named_on_input(command)]
    return _named(command)


def _named(command: Command) -> list[Arg]:
    """Return the files among the arguments of a command that reads files."""
    name, operands = command.name, command.operands
    if name in _LAST and len(operands) > 1:
        return operands[:-1]
    if name in _SOURCES:
        return _SOURCES[name](command)
    if name in _PATTERN_FIRST and not command.has("", "-e", "-f", "--regexp", "--file"):
        return operands[1:]
    return operands


def _named_on_input(command: Command) -> list[Arg]:
    """Return the files that are named on the input: `echo /etc/passwd | xargs cat`."""
    return [Arg(word, command.start, command.end) for word in unescaped(given(command)).split()[:64]]


def _active(command: Command) -> list[Arg]:
    source = command.option("-in")
    return [source] if source is not None else []


def _copied_from(command: Command) -> list[Arg]:
    return _after(command, "if=")


def _attached(command: Command) -> list[Arg]:
    """Return the files that curl sends, or reads by a `file:` address."""
    found = []
    for arg in command.args:
        path = arg.text.partition("@")[2] if re.search(r"@[/~.]", arg.text) else ""
        path = arg.text.removeprefix("file://") if arg.text.startswith("file://") else path
        if path:
            found.append(Arg(path, arg.start, arg.end, arg.taints))
    return found


_SOURCES = {"dd": _copied_from, "gdd": _copied_from, "curl": _attached, "openssl": _active}
