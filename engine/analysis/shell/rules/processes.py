"""Killing processes and exhausting resources."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.declare import CONSUMPTION, CRITICAL, HIGH, MEDIUM, found, rule
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.values import UNKNOWN
from engine.models import Violation

KILL = rule(
    "sh-kill",
    "Kills processes",
    "process_kill",
    MEDIUM,
    attack="Stops services, monitoring or the work of others.",
    why="MEDIUM: the sandbox has only its own processes; HIGH where all processes are killed.",
    fix="Kill only what the script started, by $!.",
    match=(
        "kill -9 1234",
        "pkill nginx",
        "killall -9 java",
        "kill $(pgrep cron)",
        "for p in $(ps -eo pid); do kill $p; done",
        "kill -9 -1",
        "ps aux | awk '{print $2}' | xargs kill",
        "fuser -k 80/tcp",
    ),
    not_match=(
        "sleep 9 & kill $!",
        "sleep 1 & p=$!; kill $p",
        "kill -l",
        "kill -0 1",
        "kill %1",
        "echo kill",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)
FORK_BOMB = rule(
    "sh-fork-bomb",
    "Starts processes without a limit",
    "resources",
    CRITICAL,
    attack="Fills the process table until nothing else can start.",
    why="CRITICAL: it has no other use.",
    fix="Remove it.",
    match=(
        ":(){ :|:& };:",
        "f() { f | f & }; f",
        "while true; do $0 & done",
        "bomb() { bomb & bomb; }; bomb",
    ),
    not_match=(
        "f() { f; }",
        "sleep 1 &",
        "f() { g | h & }; f",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)
ENDLESS = rule(
    "sh-endless-loop",
    "Loops without an exit",
    "resources",
    MEDIUM,
    attack="Keeps a processor busy until the time limit.",
    why="MEDIUM: the time limit of the run ends it.",
    fix="Give the loop an exit.",
    match=(
        "while true; do :; done",
        "while :; do echo x; done",
        "until false; do x=1; done",
        "for ((;;)); do echo; done",
        "yes > /dev/null",
    ),
    not_match=(
        "while true; do read x || break; done",
        "while true; do sleep 1; done",
        "while [ $i -lt 3 ]; do i=$((i+1)); done",
        "yes | head",
    ),
    cwe=835,
    owasp=CONSUMPTION,
)
FILL = rule(
    "sh-disk-fill",
    "Writes without a limit, or a huge amount",
    "resources",
    HIGH,
    attack="Fills the disk or the memory until the machine fails.",
    why="HIGH: the limits of the run end it, but it does nothing useful.",
    fix="Write only what is needed, and state how much.",
    match=(
        "cat /dev/zero > a",
        "yes > big",
        "fallocate -l 100G a",
        "dd if=/dev/zero of=a bs=1M count=100000",
        "head -c 50G /dev/urandom > a",
        "tail /dev/zero",
        "dd if=/dev/zero bs=1M count=100000 | gzip > bomb.gz",
    ),
    not_match=(
        "fallocate -l 1M a",
        "dd if=/dev/zero of=a bs=1k count=10",
        "yes | head -1 > a",
        "cat /dev/null > a",
        "dd if=/dev/urandom bs=32 count=1 | base64",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)
STRESS = rule(
    "sh-stress",
    "Loads the machine on purpose, or mines cryptocurrency",
    "resources",
    MEDIUM,
    attack="Uses the machine's time and power for an attacker.",
    why="MEDIUM: the limits of the run apply; mining addresses are HIGH.",
    fix="Remove it.",
    match=(
        "stress -c 8",
        "stress-ng --vm 4",
        "x -o stratum+tcp://pool.test:3333",
        "openssl speed -multi 8",
    ),
    not_match=(
        "echo stress",
        "man stress",
    ),
    cwe=400,
    owasp=CONSUMPTION,
)

_SIZE = re.compile(r"(\d+)\s*([kKmMgGtT])?(?:i?[bB])?$")
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_TOO_MUCH = 8 * 2**30
_MAX_LOOPS = 200
_FOREVER = re.compile(
    r"^(?:while\s+(?:true|:|\[\[?\s*1\s*\]?\]?|\(\(\s*1\s*\)\)|/bin/true|test\s+1)|until\s+(?:false"
    r"|/bin/false|!\s*true)|for\s*\(\(\s*;?\s*;\s*;?\s*\)\))[\s;]*$"
)


_ENDS = {
    "break",
    "exit",
    "return",
    "read",
    "sleep",
    "wait",
    "select",
    "inotifywait",
    "exec",
    "logout",
    "mapfile",
}


def check(script: Script) -> Iterator[Violation]:
    """Yield kills, bombs and floods."""
    for command in script.commands:
        if command.own:
            continue
        if _kills(command):
            severe = HIGH if {"-1", "1"} & {arg.text for arg in command.args[1:]} else None
            yield found(KILL, command, severity=severe)
        yield from _floods(command)
        if (
            command.name in {"stress", "stress-ng", "sysbench", "cpuburn", "burnP6", "mprime"}
            and command.words
        ):
            yield found(STRESS, command)
        elif "stratum+" in command.text or (command.name == "openssl" and "-multi" in command.words):
            yield found(STRESS, command, severity=HIGH if command.name != "openssl" else None)
    yield from _bombs(script)


def _kills(command: Command) -> bool:
    name, words = command.name, command.words
    if name in {"pkill", "killall", "killall5", "xkill", "skill", "taskkill", "slay"}:
        return "--help" not in words and "-l" not in words
    if name == "fuser":
        return command.has("k", "--kill")
    if name != "kill" or words[:1] in (["-l"], ["-L"], ["-0"], ["--help"]):
        return False
    targets = [arg for index, arg in enumerate(command.args) if not (arg.text.startswith("-") and index == 0)]
    if "xargs" in command.wrappers:
        return True
    return any(
        "own-pid" not in arg.taints and not arg.text.startswith("%") and arg.text not in {"-s", "-n", "0"}
        for arg in targets
    )


def _floods(command: Command) -> Iterator[Violation]:
    name, words = command.name, command.words
    saved = [r for r in command.redirects if r.writes and r.operator[:1] != "2"]
    if name == "yes" and saved and not command.piped:
        yield found(ENDLESS if saved[0].target.text == "/dev/null" else FILL, command)
    elif name in {"cat", "tail", "pv"} and any(
        word in {"/dev/zero", "/dev/urandom", "/dev/random"} for word in words
    ):
        if (saved and not command.piped) or name == "tail":
            yield found(FILL, command)
    elif name in {"fallocate", "truncate", "head", "mkfile"}:
        option = command.option("-l", "-s", "-c", "--length", "--size", "--bytes")
        text = option.text if option else (words[0] if name == "mkfile" and words else "")
        if _bytes(text) >= _TOO_MUCH:
            yield found(FILL, command)
    elif name in {"dd", "gdd"}:
        yield from _copied(command)


def _copied(command: Command) -> Iterator[Violation]:
    given = dict(word.split("=", 1) for word in command.words if "=" in word)
    if not given.get("if", "").startswith(("/dev/zero", "/dev/urandom", "/dev/random")):
        return
    if "of" not in given and not ("count" in given and command.piped):
        return
    size = (
        max(_bytes(given.get("bs", "512")), 1) * int(given["count"])
        if given.get("count", "").isdigit()
        else None
    )
    if (
        (size is None and UNKNOWN not in given.get("count", UNKNOWN))
        or (size or 0) >= _TOO_MUCH
        or ("count" not in given and not given.get("of", "").startswith("/dev/"))
    ):
        yield found(FILL, command)


def _bytes(text: str) -> int:
    match = _SIZE.match(text.lstrip("+"))
    return int(match[1]) * _UNITS[(match[2] or "").lower()] if match and len(match[1]) < 16 else 0


def _bombs(script: Script) -> Iterator[Violation]:
    called: dict[str, list[Command]] = {name: [] for name in script.functions}
    for command in script.commands:
        if command.name in called:
            called[command.name].append(command)
    for name, (start, end) in script.functions.items():
        calls = [command for command in called[name] if start <= command.start < end]
        if len({command.start for command in calls}) > 1 and any(c.background or c.piped for c in calls):
            yield FORK_BOMB.violation(script.tree.span_of(start, end), f"{name} starts itself twice")
    for loop in script.loops[:_MAX_LOOPS]:
        if not _FOREVER.match(loop.condition):
            continue
        inside = [command for command in script.commands if loop.start <= command.start < loop.end]
        if any(command.name in _ENDS for command in inside):
            continue
        if any(command.background for command in inside):
            yield FORK_BOMB.violation(loop.span, "Starts processes in a loop without end")
        else:
            yield ENDLESS.violation(loop.span, loop.condition[:120])
