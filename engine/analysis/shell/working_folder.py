"""The folder that each command runs in, as far as the `cd` before it says."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.values import UNKNOWN

_CHANGES = ("cd", "pushd")


def resolved(script: Script, command: Command, path: str) -> str:
    """Return a path as it is from the first folder of the script, or from the machine's."""
    folder = _folders(script).get(id(command), "")
    if not folder or not path or path.startswith(("/", "~", UNKNOWN)):
        return paths.normal(path)
    inner = path.removeprefix("./")
    return paths.normal(folder if inner in {".", ""} else f"{folder.rstrip('/')}/{inner}")


def _folders(script: Script) -> dict[int, str]:
    return script.once("working folders", lambda script: dict(_followed(script)))


def _followed(script: Script) -> Iterator[tuple[int, str]]:
    """Yield the folder of each command that a `cd` decides over; a subshell's ends with it."""
    if not any(script.named(*_CHANGES)):
        return
    shells = script.nodes("subshell", "command_substitution", "process_substitution")
    inner = [(node.start_byte, node.end_byte) for node in shells]
    changes: list[tuple[int, int, str]] = []
    for command in sorted(script.commands, key=lambda one: one.start):
        if command.tree is not script.tree:
            continue
        folder = next((to for at, end, to in reversed(changes) if at <= command.start < end), "")
        if command.name in _CHANGES and not command.own:
            end = min((e for s, e in inner if s <= command.start < e), default=len(script.tree.data))
            changes.append((command.start, end, _changed(folder, command)))
        elif command.name == "popd":
            changes.append((command.start, len(script.tree.data), ""))
        elif folder:
            yield id(command), folder


def _changed(folder: str, command: Command) -> str:
    target = command.operands[0].text if command.operands else "~"
    if UNKNOWN in target or target == "-" or target.startswith("+"):
        return ""
    if target.startswith(("/", "~")):
        return paths.normal(target)
    return paths.normal(f"{folder.rstrip('/')}/{target}") if folder else ""
