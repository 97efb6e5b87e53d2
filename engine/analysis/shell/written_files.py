"""Files that a script writes, and the commands that run them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.expansion import unescaped
from engine.analysis.shell.flow import given, is_interpreter, language_of
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.pure_commands import output
from engine.analysis.shell.values import UNKNOWN
from engine.models import Language

_LOADERS = {"source", ".", "dpkg", "rpm", "installer", "insmod", "crontab", "awk", "go", "v"}


def runs(command: Command) -> list[str]:
    """Return the files that a command runs, loads or makes runnable."""
    if command.name == "chmod":
        executable = any(re.search(r"\+\w*x|[1357]", word) for word in command.words[:1])
        return [_plain(arg.text) for arg in command.operands[1:]] if executable else []
    if is_interpreter(command.name) or command.name in _LOADERS:
        inputs = [redirect.target.text for redirect in command.redirects if redirect.operator == "<"]
        return [_plain(arg.text) for arg in command.operands[:2]] + inputs
    return [_plain(command.program.text)] if "/" in command.program.text else []


def _plain(path: str) -> str:
    return path.removeprefix("./")


def programs(script: Script) -> Iterator[tuple[Command, str, Language]]:
    """Yield each command that runs a file which the script wrote, with its text and language."""
    written: dict[str, str] = {}
    done: set[tuple[str, int]] = set()
    for command in script.commands:
        if command.own:
            continue
        for path in runs(command):
            text = written.get(path, "")
            if text.strip(UNKNOWN + "\n ") and (path, len(text)) not in done:
                done.add((path, len(text)))
                yield command, text, _language(command.name, path, text)
        _write(command, written)


def _write(command: Command, written: dict[str, str]) -> None:
    targets = [
        (r.target.text, r.operator) for r in command.redirects if r.writes and r.operator[:1] not in "23"
    ]
    if command.name == "tee":
        targets += [(arg.text, ">>" if command.has("a") else ">") for arg in command.operands]
    if not targets or command.name not in {"echo", "printf", "cat", "tee", "base64", "xxd", "print"}:
        return
    text = output(command.name, [] if command.name == "tee" else command.words, given(command))
    for path, operator in targets:
        old = written.get(_plain(path), "") if ">>" in operator else ""
        if len(old) + len(text) < 65_536:
            written[_plain(path)] = old + unescaped(text).rstrip("\n") + "\n"


def _language(name: str, path: str, text: str) -> Language:
    known = language_of(name)
    head = text.lstrip().split("\n", 1)[0]
    if known == "python" or path.endswith(".py") or (head.startswith("#!") and "python" in head):
        return Language.PYTHON
    if known == "javascript" or path.endswith((".js", ".mjs")) or (head.startswith("#!") and "node" in head):
        return Language.JAVASCRIPT
    return Language.SHELL
