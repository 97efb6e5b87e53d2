"""Commands that Python passes to a shell or a program, analysed in their own language."""

from __future__ import annotations

import re

from engine.analysis.ordinary_commands import gives_elsewhere
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.patterns import HOLE, pattern_of, shown
from engine.analysis.python.evaluate.sink_registry import PythonCall
from engine.analysis.python.evaluate.values import PRIVATE, PythonValue, Taint, taint_of, taint_words
from engine.analysis.python.rules import processes as rules
from engine.analysis.python.rules.files import PERSISTENCE, PROGRAM_WRITE
from engine.analysis.python.rules.network import DOWNLOAD_RUN
from engine.analysis.python.sinks.outgoing import EXFILTRATION, UPLOAD
from engine.models import Certainty, Language, Level, PredictedEffect

_KILLERS = re.compile(r"(?:^|[\s;&|/'\"])(?:kill|pkill|killall|taskkill|xkill|skill)(?:\.exe)?(?=\s|$|'|\")")
_KERNEL = re.compile(
    r"(?:^|[;&|]\s*|\bsudo\s+(?:-\S+\s+)*)(?:/(?:usr/)?s?bin/)?(?:mount|umount|losetup|insmod|modprobe|rmmod|unshare|nsenter|"
    r"mknod|chroot|pivot_root|swapon|swapoff|kexec|setcap|capsh|bpftool|debugfs|sysctl\s+-w|dmsetup|strace|gdb|ltrace)\s"
)
"""Programs that make system calls which no submitted code needs."""
_DROPPED = re.compile(r"[\w./\\:~-]+")


def judge(
    evaluator: Evaluator, call: PythonCall, command: PythonValue | None, line: str, *, by_shell: bool
) -> None:
    """Judge a command line: what it kills, what it runs from the network, what the shell rules know."""
    if _KILLERS.search(line):
        evaluator.report(rules.KILL, call.node, f"Kills processes: `{shown(line[:80])}`")
    if re.search(r"\bcrontab\b|\bschtasks\b|systemctl\s+enable|launchctl\s+load|update-rc\.d", line):
        evaluator.report(PERSISTENCE, call.node, "Sets up code to run again later")
    if _KERNEL.search(line):
        evaluator.report(rules.SYSCALL, call.node, f"Asks the kernel: `{shown(line[:80])}`")
    if gives_elsewhere(line):
        evaluator.report(UPLOAD, call.node, "Gives the work to another repository", severity=Level.HIGH)
    _check_private(evaluator, call, command, line)
    _inline_code(evaluator, call, command, line)
    _check_dropped(evaluator, call, line)
    text = line.replace(HOLE, "x")
    if by_shell or not _inline(line):
        before = len(evaluator.found.effects)
        evaluator.embed(text, Language.SHELL, call.node, command, "shell" if by_shell else "command")
        _loosen(evaluator, line, before)


def _loosen(evaluator: Evaluator, line: str, before: int) -> None:
    """Call nothing exact that a part known only at run time belongs to."""
    if HOLE not in line:
        return
    effects = evaluator.found.effects
    for index, effect in enumerate(effects[before:], before):
        if effect.certainty is Certainty.EXACT and not _stands_alone(effect.value.text, line):
            effects[index] = PredictedEffect(
                kind=effect.kind,
                value=effect.value,
                certainty=Certainty.PATTERN,
                lines=effect.lines,
                note=effect.note,
            )


def _stands_alone(value: str, line: str) -> bool:
    """Whether a value is in a line, and touches nothing that is known only at run time."""
    return re.search(rf"(?<!{HOLE}){re.escape(value)}(?!{HOLE})", line) is not None


_CLIENT = re.compile(
    r"(?:^|[\s;&|(/])(?:curl|wget|nc|ncat|netcat|telnet|ftp|sftp|scp|ping|nslookup|dig|host|https?|xh|socat)\s"
)
_ENCODED_ADDRESS = re.compile(rf"://[\w.-]+(?::\d+)?[/?][^\s'\"]*{HOLE}|://[\w.-]*{HOLE}\.")
_AS_HEADER = re.compile(r"\s(?:-H|--header|-u|--user|--oauth2-bearer)[\s=]")


def _check_private(evaluator: Evaluator, call: PythonCall, command: PythonValue | None, line: str) -> None:
    """Report private data in a command that sends it away; a key in a header is what headers are for."""
    taint = taint_of(command) & (PRIVATE & ~Taint.ENVIRONMENT)
    if _ENCODED_ADDRESS.search(line) and taint_of(command) & Taint.ENCODED:
        message = f"Sends {taint_words(taint_of(command)) or 'encoded data'} in an address"
        evaluator.report(EXFILTRATION, call.node, message, severity=Level.HIGH, value=command)
    if not taint or HOLE not in line or not _CLIENT.search(line):
        return
    if taint == Taint.SECRET and _AS_HEADER.search(line):
        return
    level = Level.HIGH if taint == Taint.SYSTEM else None
    message = f"Sends {taint_words(taint)}"
    evaluator.report(EXFILTRATION, call.node, message, severity=level, value=command)


def _inline(line: str) -> bool:
    return bool(re.search(r"^\S*(?:python[\d.]*|node)\s+-[ce]\s", line))


def _inline_code(evaluator: Evaluator, call: PythonCall, command: PythonValue | None, line: str) -> None:
    """`[python, -c, code]` and `[node, -e, code]` are code in their own language."""
    parts = _parts(command)
    for index, part in enumerate(parts[:-2]):
        if parts[index + 1] not in ("-c", "-e"):
            continue
        code = parts[index + 2].replace(HOLE, "x")
        if re.search(r"node(?:\.exe)?$", part):
            evaluator.embed(code, Language.JAVASCRIPT, call.node, None, "node -e")
        elif re.search(r"python[\d.]*(?:\.exe)?$", part) or part == HOLE:
            evaluator.embed(code, Language.PYTHON, call.node, None, "python -c")


def _parts(command: PythonValue | None) -> list[str]:
    if command is None:
        return []
    if isinstance(command.const, list | tuple):
        return [str(part) for part in command.const]
    if command.items is None or "pattern" in command.items:
        return []
    return [pattern_of(part) for part in command.items.values()]


def _check_dropped(evaluator: Evaluator, call: PythonCall, line: str) -> None:
    for word in _DROPPED.findall(line):
        if {word, word.removeprefix("./")} & evaluator.downloaded:
            evaluator.report(DOWNLOAD_RUN, call.node, f"Runs `{word}`, which came from the network")
        elif f"program:{word}" in evaluator.facts:
            message = f"Runs `{word}`, which this code wrote"
            evaluator.report(PROGRAM_WRITE, call.node, message, severity=Level.HIGH)
