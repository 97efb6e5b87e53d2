"""What is fetched, what is run of it, and what is sent away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import HIGH, LOW, MEDIUM, found
from engine.analysis.shell.flow import DOWNLOADERS, SHELLS, before, is_interpreter
from engine.analysis.shell.model import Arg, Command, Script
from engine.analysis.shell.rules.network import NETWORK
from engine.analysis.shell.rules.transfers import (
    COPY,
    DOWNLOAD,
    DOWNLOAD_RUN,
    POST,
    REMOTE_EXEC,
    UPLOAD,
)
from engine.analysis.shell.values import UNKNOWN
from engine.analysis.shell.written_files import runs
from engine.models import Violation

_LOCAL = re.compile(r"(?:^|[/@\s])(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0)(?:[:/\s]|$)")
_DATA = (
    "-d", "--data", "--data-binary", "--data-raw", "--data-urlencode", "--data-ascii", "-F", "--form",
    "--json", "-T", "--upload-file", "--post-file", "--post-data", "--body-file", "--body-data",
)  # fmt: skip
_FILES = ("-T", "--upload-file", "--post-file", "--body-file")
_COPIERS = ("scp", "rsync", "sftp", "rclone", "unison", "lftp", "croc", "wormhole", "s3cmd")
_EVALUATORS = {"eval", "source", ".", "xargs"}

_LOOT = {
    "tar",
    "cat",
    "zip",
    "gzip",
    "base64",
    "xxd",
    "mysqldump",
    "pg_dump",
    "env",
    "printenv",
    "dd",
    "7z",
    "ps",
    "history",
}

_TO_SCREEN = {
    "lynx",
    "links",
    "elinks",
    "w3m",
    "http",
    "https",
    "httpie",
    "GET",
    "ftp",
    "tftp",
    "xh",
    "lwp-request",
}
_QUESTIONS = {"--version", "--help", "-V", "-h"}


def check(script: Script) -> Iterator[Violation]:
    """Yield downloads, uploads and copies, and downloads that are run."""
    for command in script.commands:
        if not command.own:
            if _runs_download(command):
                yield found(REMOTE_EXEC, command, "Runs what it downloads")
            if is_download(command):
                yield from _download(command)
    for command in script.named(*_COPIERS):
        yield from _copy(command)
    for command in script.named("aws", "gsutil"):
        if {"cp", "sync", "mv"} & set(command.words):
            yield found(COPY, command)
    yield from _run_later(script)


def is_download(command: Command) -> bool:
    """Say whether a command fetches something."""
    return command.name in DOWNLOADERS and bool(command.args) and not _QUESTIONS & set(command.words)


def is_local(command: Command) -> bool:
    """Say whether everything that a command talks to is this machine."""
    words = command.words
    others = any("://" in word and not _LOCAL.search(word) for word in words)
    return not others and any(_LOCAL.search(word) for word in words)


def sends_loot(command: Command) -> bool:
    """Say whether files or command output are piped into a command."""
    return any(other.name in _LOOT for other in before(command))


# --- downloads that are run -----------------------------------------------------------------------


def _runs_download(command: Command) -> bool:
    if "download" in command.program.taints:
        return True
    if not is_interpreter(command.name) and command.name not in _EVALUATORS:
        return False
    if any("download" in arg.taints for arg in command.args):
        return not _reads_as_data(command) or command.name in SHELLS
    if _reads_as_data(command):
        return False
    piped = any(is_download(other) for other in before(command)) and _reads_input(command)
    fed = command.feed is not None and "download" in command.feed.taints
    return piped or fed or any("download" in r.target.taints for r in command.redirects if not r.writes)


def _reads_as_data(command: Command) -> bool:
    """`python -m json.tool`, `python -c '…'` and `perl -ne '…'` read what they are given as data."""
    if command.name in SHELLS or command.name in _EVALUATORS:
        return False
    return any(re.fullmatch(r"-\w*[cemr]\w*|-[np]|--eval", word) for word in command.words)


def _reads_input(command: Command) -> bool:
    files = [arg for arg in command.operands if arg.text != "-" and not arg.text.startswith("/dev/")]
    return command.name in _EVALUATORS or not files or command.has("s")


def _run_later(script: Script) -> Iterator[Violation]:
    saved: dict[str, Command] = {}
    for command in script.commands:
        if command.own:
            continue
        source = next((saved[path] for path in runs(command) if path in saved), None)
        if source is not None:
            yield found(DOWNLOAD_RUN, command, f"Downloaded on line {source.row}")
        if is_download(command) or command.name in {"scp", "rsync"}:
            saved.update(dict.fromkeys(_saved_names(command), command))


def _saved_names(command: Command) -> set[str]:
    operands = command.operands
    if command.name in {"scp", "rsync"}:
        target: str | None = operands[-1].text if operands else None
    else:
        target = saved_to(command)
    if target is None:
        return set()
    names = {target, target.rsplit("/", 1)[-1]}
    if target in {".", ""} or target.endswith("/"):
        addresses = [arg.text.split("?")[0].rstrip("/") for arg in operands if "/" in arg.text]
        names |= {address.rsplit("/", 1)[-1] for address in addresses}
    return {name for name in names if name.strip("./") and UNKNOWN not in name}


# --- what a download does -------------------------------------------------------------------------


def saved_to(command: Command) -> str | None:
    """Return the file that a download is written to, or None where it goes to the screen or into a pipe."""
    names = ("-o", "--output") if command.name == "curl" else ("-o", "-O", "--output", "--output-document")
    named = command.option(*names)
    if named is not None and (command.name != "wget" or not named.text.startswith("-")):
        return None if named.text in {"-", "/dev/stdout", "/dev/null"} else named.text
    for redirect in command.redirects:
        if redirect.operator in {">", ">>", "&>", "1>"} and not redirect.target.text.startswith("/dev/"):
            return redirect.target.text
    if command.name == "wget":
        quiet = any(re.fullmatch(r"-\w*O-?", word) for word in command.words) or "--spider" in command.words
        return None if quiet else "."
    if command.name in {"curl", "curlie"}:
        return "." if command.has("O", "--remote-name", "--remote-name-all") else None
    return None if command.piped or command.name in _TO_SCREEN else "."


def _download(command: Command) -> Iterator[Violation]:
    given = [command.option(name) for name in _DATA if any(word.startswith(name) for word in command.words)]
    sent = [arg for arg in given if arg is not None]
    local = LOW if is_local(command) else None
    if sent:
        yield from _sent(command, sent)
    elif _method(command) in {"POST", "PUT", "PATCH"}:
        yield found(POST, command, severity=local)
    elif (target := saved_to(command)) is None:
        yield found(NETWORK, command, severity=local)
    else:
        path = paths.normal(target)
        system = paths.is_persistence(path) or (paths.is_system(path) and not paths.is_harmless_read(path))
        yield found(DOWNLOAD, command, severity=HIGH if system else local)


def _method(command: Command) -> str:
    named = command.option("-X", "--request", "--method")
    return named.text.upper() if named is not None else ""


def _sent(command: Command, sent: list[Arg]) -> Iterator[Violation]:
    texts = [arg.text for arg in sent]
    attached = any(re.search(r"(?:^|=)[@<](?!-)", text) for text in texts)
    from_file = attached or any(word.startswith(_FILES) for word in command.words)
    computed = not from_file and any("output" in arg.taints for arg in sent)
    output = computed or sends_loot(command)
    if not from_file and not output:
        yield found(POST, command, severity=LOW if is_local(command) else None)
    else:
        private = output or any(_is_private(text) for text in texts)
        yield found(UPLOAD, command, severity=None if private else MEDIUM)


def _is_private(text: str) -> bool:
    path = paths.normal(re.split(r"[@<]", text)[-1])
    return paths.is_system(path) or paths.is_credential(path) or path.startswith("~")


def _copy(command: Command) -> Iterator[Violation]:
    if not command.operands or _QUESTIONS & set(command.words):
        return
    remote = any(re.match(r"(?:[^/]+@)?[^/]+::?|rsync://", arg.text) for arg in command.operands)
    if remote or command.name != "rsync":
        secret = any(paths.is_credential(paths.normal(arg.text)) for arg in command.operands)
        yield found(UPLOAD if secret else COPY, command)
