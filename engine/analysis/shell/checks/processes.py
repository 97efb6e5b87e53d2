"""Killing what others run, and using up the machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.declare import HIGH, found
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.rules.processes import ENDLESS, FILL, FORK_BOMB, KILL, STRESS
from engine.analysis.shell.values import UNKNOWN
from engine.models import Violation

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
    if not given.get("if", "").startswith(("/dev/zero", "/dev/urandom", "/dev/random")) or "of" not in given:
        return
    size = (
        max(_bytes(given.get("bs", "512")), 1) * int(given["count"])
        if given.get("count", "").isdigit()
        else None
    )
    if (
        (size is None and UNKNOWN not in given.get("count", UNKNOWN))
        or (size or 0) >= _TOO_MUCH
        or ("count" not in given and not given["of"].startswith("/dev/"))
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
