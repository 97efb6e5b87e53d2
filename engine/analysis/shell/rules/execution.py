"""Running strings as code, and programs that were not reviewed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import ABUSE, CRITICAL, HIGH, MEDIUM, found, rule
from engine.analysis.shell.file_access import written
from engine.analysis.shell.flow import DECODERS, SHELLS, before, is_interpreter
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.rules.evaluated_text import code_of, severity_of
from engine.analysis.shell.rules.nested_commands import SHELL_ESCAPE
from engine.analysis.shell.values import UNKNOWN
from engine.models import Confidence, Violation

EVAL = rule(
    "sh-eval",
    "Runs a string as code",
    "exec_eval",
    HIGH,
    attack="Lets whoever controls the string decide what runs.",
    why=(
        "HIGH: the command itself is known only at run time, or is what a function is called with;"
        " MEDIUM where only its arguments are; LOW where it is known and analysed."
    ),
    fix="Call the command directly, with its arguments in an array.",
    match=(
        'eval "$1"',
        'bash -c "$cmd"',
        'echo "$x" | sh',
        "f() { eval $1; }; f 'ls'",
    ),
    not_match=(
        "bash -c 'echo hi'",
        "sh script.sh",
        "echo eval",
    ),
    cwe=95,
    owasp=ABUSE,
)
DECODED_EXEC = rule(
    "sh-decoded-exec",
    "Runs decoded commands",
    "obfuscation",
    CRITICAL,
    attack="Hides the commands from everyone who reads the script.",
    why=("CRITICAL: commands are encoded only to hide them; the decoded text is shown as a layer."),
    fix="Submit the commands themselves.",
    match=(
        "echo bHM= | base64 -d | sh",
        'eval "$(echo bHM= | base64 --decode)"',
        "bash <<< $(xxd -r -p <<< 6c73)",
        "printf '%s' sl | rev | bash",
        "gunzip -c p.gz | sh",
    ),
    not_match=(
        "base64 -d a.txt",
        "echo bHM= | base64 -d | wc",
    ),
    cwe=506,
    owasp=ABUSE,
)
INPUT_COMMAND = rule(
    "sh-input-command",
    "Runs its input as commands",
    "exec_eval",
    HIGH,
    attack="Takes its commands from a file, a pipe or a person outside this review.",
    why="HIGH: every line of the input runs unchanged.",
    fix="Compare the input with a list of allowed words.",
    match=(
        "while read l; do $l; done < cmds",
        "read c; eval $c",
        'read -r c; bash -c "$c"',
    ),
    not_match=(
        "read name; echo $name",
        'while read l; do echo "$l"; done',
    ),
    cwe=78,
    owasp=ABUSE,
)
TEMP_PROGRAM = rule(
    "sh-temp-program",
    "Runs a program from a temporary folder",
    "process",
    HIGH,
    attack="Writes a program to a folder that everyone can write to, and starts it.",
    why="HIGH: nobody has reviewed the program; MEDIUM where the script itself writes it.",
    fix="Send the program's source with the submission.",
    match=(
        "/tmp/a.out",
        "sudo /dev/shm/x -f",
        "sh /var/tmp/run.sh",
        "nohup /tmp/.x/y &",
    ),
    not_match=(
        "./a.sh",
        "cat /tmp/a",
        "/usr/bin/ls",
    ),
    cwe=426,
)
COMPILE = rule(
    "sh-compile-run",
    "Compiles a program and runs it",
    "process",
    MEDIUM,
    attack="Brings malware in as source, where scanners do not recognise it.",
    why="MEDIUM: this analysis does not read that language.",
    fix="Submit the source for review too.",
    match=(
        "gcc a.c && ./a.out",
        "go run main.go",
        "cc -o x x.c; ./x",
    ),
    not_match=(
        "gcc -c a.c",
        "go test ./...",
        "make all",
    ),
    cwe=426,
    confidence=Confidence.MEDIUM,
)

_SPELLED = re.compile(r"\b(?:printf|echo)\b[^;|&]*?(?:\\x[0-9a-fA-F]{2}|\\0?[0-7]{3}|\\u00[0-9a-fA-F]{2}){2}")
"""Characters of a command that are written as numbers."""
_SHELL_NAME = r"(?:/(?:usr/)?bin/)?(?:ba|z|da|k|a|c|tc|fi)?sh\b"
_ESCAPE = re.compile(
    rf"(?:\bexec|\bsystem|\bspawn\w*|popen\w*|os\.execute|\bterm|call|shell-command|:!|!\s*(?:exec)?"
    rf"|\.shell|\\!|-exec(?:dir)?"
    rf"|action=exec=|to-command=|ProxyCommand=|PAGER=|EDITOR="
    rf"|use-compress-program=)[\s(\[\"'\\]*{_SHELL_NAME}"
)
_ESCAPERS = {
    "awk", "gawk", "mawk", "nawk", "vim", "vi", "view", "ex", "ed", "emacs", "nano", "less", "more", "man",
    "find", "tar", "zip",
    "rsync", "ssh", "perl", "ruby", "php", "lua", "tclsh", "expect", "gdb", "ftp", "nmap", "sqlite3",
    "mysql", "psql", "cpan",
    "echo", "printf", "python", "python2", "python3", "node", "script", "sed", "make", "git", "irb", "pry",
    "scp", "socat", "strace",
    "gem", "pip", "npm", "apt", "apt-get", "dpkg", "journalctl", "systemctl", "julia", "jjs", "jrunscript",
    "R", "ghci",
    "osascript", "rvim", "pico", "mutt", "wish", "dmesg", "tmux", "screen", "cmake", "bundle", "capsh",
    "docker",
}  # fmt: skip
_ESCAPING = frozenset({
    "env", "nice", "ionice", "timeout", "stdbuf", "xargs", "flock", "taskset", "setarch", "linux32",
    "linux64",
    "logsave", "unshare", "chrt", "rlwrap", "strace", "ltrace", "setpriv", "ssh-agent", "unbuffer",
    "cpulimit", "catchsegv", "fakeroot", "chronic", "numactl", "prlimit", "dbus-launch", "watch",
})  # fmt: skip
"""Wrappers by which GTFOBins gets a shell."""
_COMPILERS = {
    "gcc",
    "g++",
    "cc",
    "c++",
    "clang",
    "clang++",
    "rustc",
    "tcc",
    "gfortran",
    "ghc",
    "nasm",
    "as",
    "ld",
    "swiftc",
    "javac",
}


def check(script: Script) -> Iterator[Violation]:
    """Yield code that is run from text, and unread programs."""
    compiled: set[str] = set()
    for command in script.commands:
        if command.own:
            continue
        yield from _evaluations(script, command)
        if _escapes(command):
            yield found(SHELL_ESCAPE, command)
        elif _is_wrapped_shell(command):
            yield found(SHELL_ESCAPE, command, severity=MEDIUM)
        yield from _unread(script, command)
        yield from _compiles(command, compiled)


def _evaluations(script: Script, command: Command) -> Iterator[Violation]:
    code = code_of(command)
    if code is None:
        if command.name == UNKNOWN and command.program.taints & {"input", "download"}:
            yield found(INPUT_COMMAND, command)
        return
    text, taints = code
    decoded = "decoded" in taints or any(other.name in DECODERS for other in before(command))
    decoded = decoded or _SPELLED.search(script.tree.slice(command.start, command.end)) is not None
    if decoded or "decoded" in command.program.taints:
        yield found(DECODED_EXEC, command)
    elif "input" in taints:
        yield found(INPUT_COMMAND, command)
    elif (severity := severity_of(script, command, text, taints)) is not None:
        yield found(EVAL, command, severity=severity)


def _escapes(command: Command) -> bool:
    if command.name in SHELLS and {"busybox", "toybox", "find", "strace", "watch", "script"} & set(
        command.wrappers
    ):
        return True
    if command.name not in _ESCAPERS:
        return False
    if command.name in {"echo", "printf"} and not command.piped:
        return False
    return _ESCAPE.search(command.text) is not None


def _is_wrapped_shell(command: Command) -> bool:
    """Return whether a program starts a shell without a command: `env /bin/sh`, `nice bash`."""
    if command.name not in SHELLS or not _ESCAPING.intersection(command.wrappers):
        return False
    fed = command.feed is not None or command.upstream or any(not r.writes for r in command.redirects)
    return not fed and all(word in {"-i", "-p", "-s", "-l"} for word in command.words)


def _unread(script: Script, command: Command) -> Iterator[Violation]:
    scripts = command.operands[:1] if is_interpreter(command.name) and not _is_code(command) else []
    for path in map(paths.normal, (command.program.text, *(arg.text for arg in scripts))):
        if _is_temporary(path):
            own = any(paths.normal(target.path) == path for target in written(script))
            yield found(TEMP_PROGRAM, command, severity=MEDIUM if own else None)


def _is_temporary(path: str) -> bool:
    if not path.startswith("/"):
        return False
    return path.startswith("/dev/shm/") or (paths.is_scratch(path) and not path.startswith("/dev/"))


def _is_code(command: Command) -> bool:
    return any(re.fullmatch(r"-\w*[cer]\w*|-m|--eval", word) for word in command.words)


def _compiles(command: Command, compiled: set[str]) -> Iterator[Violation]:
    if command.name in _COMPILERS and command.operands:
        out = command.option("-o")
        compiled.add((out.text if out else "a.out").removeprefix("./"))
    elif (
        (
            command.name in {"go", "v", "cargo-script", "crystal", "zig", "nim", "dotnet"}
            and "run" in command.words
        )
        or (command.name in {"tcc", "runghc", "runhaskell"} and "-run" in command.words)
        or (command.program.text.removeprefix("./") in compiled and "/" in command.program.text)
    ):
        yield found(COMPILE, command)
