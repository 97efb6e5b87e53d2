"""Code that programs with a syntax of their own pass to a shell: `trap`, `parallel`, `socat`, `crontab`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain

from engine.analysis.shell.flow import given
from engine.analysis.shell.model import Arg, Command

Passed = Iterator[tuple[str, Arg | None]]
"""Code, and the word that holds it whole."""

_MOST = 16
"""How many arguments of `parallel` are put into its command."""
_SOURCES = re.compile(r":::\+?|::::\+?")
_PARALLEL_VALUED = re.compile(
    r"-[jaICdnNLPSE]|--(?:jobs|arg-file|colsep|delimiter|max-args|max-procs|joblog|results|tmpdir|timeout"
    r"|delay|retries|load|nice|sshlogin|sshloginfile|workdir|env|halt|tagstring|id|semaphorename|shuf)"
)
_SPAWN = re.compile(r"\b(?:spawn|exec)\s+([^\n\]]+)")
_SQLITE = re.compile(r"\.(?:shell|system)\s+(.+)", re.DOTALL)
_SOCAT = re.compile(r"(?i)(?:exec|system|shell):(.+)", re.DOTALL)
_CRON = re.compile(r"(?m)^\s*(?:@\w+|(?:[-\d*/,\w]+\s+){5})\s*(\S.*)$")


def passed_code(command: Command) -> Passed:
    """Yield the shell code that a command passes on."""
    work = _WORKS.get(command.name)
    return work(command) if work is not None else iter(())


def _trap(command: Command) -> Passed:
    args = [arg for arg in command.args if arg.text != "--"]
    if len(args) > 1 and re.search(r"\w", args[0].text):
        yield args[0].text, args[0]


def _parallel(command: Command) -> Passed:
    words = command.words
    end = next((index for index, word in enumerate(words) if _SOURCES.fullmatch(word)), len(words))
    start = 0
    while start < end and words[start][:1] == "-":
        start += 2 if _PARALLEL_VALUED.fullmatch(words[start]) else 1
    text, values = " ".join(words[start:end]), [word for word in words[end:] if not _SOURCES.fullmatch(word)]
    if not text:
        yield from ((value, None) for value in (values or given(command).split("\n"))[:_MOST])
        return
    filled = [text.replace("{}", value) if "{}" in text else f"{text} {value}" for value in values[:_MOST]]
    yield from ((one, None) for one in filled or [text])


def _started(command: Command) -> Passed:
    program = command.option("-x", "--exec", "-a", "--startas")
    words = command.words
    if program is not None:
        rest = words[words.index("--") + 1 :] if "--" in words else []
        quoted = (f"'{word}'" if re.search(r"[\s;|&]", word) else word for word in rest)
        yield " ".join([program.text, *quoted]), None


def _matches(pattern: re.Pattern[str]) -> Callable[[Command], Passed]:
    def found(command: Command) -> Passed:
        fed = [given(command)] if command.feed is not None or command.upstream else []
        texts = chain((arg.text for arg in command.args), fed)
        return ((match[1], None) for text in texts for match in pattern.finditer(text))

    return found


_WORKS: dict[str, Callable[[Command], Passed]] = {
    "trap": _trap,
    "parallel": _parallel,
    "sem": _parallel,
    "start-stop-daemon": _started,
    "expect": _matches(_SPAWN),
    "tclsh": _matches(_SPAWN),
    "sqlite3": _matches(_SQLITE),
    "socat": _matches(_SOCAT),
    "crontab": _matches(_CRON),
}
