"""Enters the hook in the settings file of a coding agent and takes it out, and leaves all else as it is."""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path
from typing import Any

from engine.common.errors import Problem
from engine.common.local_files import put_in_place, read_file
from engine.common.text import visible
from engine.hooks.clients import TIMEOUT_SECONDS, CodingAgent
from engine.hooks.hook import Otherwise
from engine.hooks.own_commands import program

MOST_BYTES = 1 << 22
_OURS = re.compile(r"pratique'? hook run [a-z]+( |$)")


def settings_path(agent: CodingAgent, folder: Path) -> Path:
    """Return the settings file of an agent below a home folder or a project."""
    return folder / agent.file


def hook_command(agent: CodingAgent, otherwise: Otherwise) -> str:
    """Return the command of the hook: whatever ends it but success denies."""
    return f"{program()} hook run {agent.name} --otherwise {otherwise.value} || exit 2"


def install(agent: CodingAgent, path: Path, otherwise: Otherwise) -> bool:
    """Enter the hook, in place of an earlier one; return whether the file changed.

    Raises:
        Problem: the file cannot be read, changed or understood.
    """
    before, settings = _read(path)
    _take_out(settings, agent)
    hooks = _member(settings, "hooks", path)
    entries = hooks.setdefault(agent.event, [])
    if not isinstance(entries, list):
        raise _not_understood(path, f"hooks.{agent.event} is no list")
    entries.append({"matcher": agent.matcher, "hooks": [_hook(agent, otherwise)]})
    return _write(path, before, settings)


def uninstall(agent: CodingAgent, path: Path) -> bool:
    """Take the hook out; return whether it was there.

    Raises:
        Problem: the file cannot be read, changed or understood.
    """
    before, settings = _read(path)
    return _take_out(settings, agent) and _write(path, before, settings)


def _hook(agent: CodingAgent, otherwise: Otherwise) -> dict[str, Any]:
    timeout = TIMEOUT_SECONDS * (1000 if agent.milliseconds else 1)
    command = hook_command(agent, otherwise)
    return {"type": "command", "command": command, "timeout": timeout, **agent.extra}


def _take_out(settings: dict[str, Any], agent: CodingAgent) -> bool:
    """Remove our hooks, and what is empty without them; return whether there were any."""
    hooks = settings.get("hooks")
    entries = hooks.get(agent.event) if isinstance(hooks, dict) else None
    if not isinstance(hooks, dict) or not isinstance(entries, list):
        return False
    kept = [left for entry in entries for left in _without_ours(entry)]
    found = kept != entries
    hooks[agent.event] = kept
    if found and not kept:
        del hooks[agent.event]
    if found and not hooks:
        del settings["hooks"]
    return found


def _without_ours(entry: object) -> list[object]:
    """Return an entry without our hook; empty where nothing is left of it."""
    given = entry.get("hooks") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(given, list):
        return [entry]
    kept = [one for one in given if not _is_ours(one)]
    if len(kept) == len(given):
        return [entry]
    return [{**entry, "hooks": kept}] if kept else []


def _is_ours(hook: object) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and _OURS.search(command) is not None


def _member(settings: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    found = settings.setdefault(name, {})
    if not isinstance(found, dict):
        raise _not_understood(path, f"{name} is no object")
    return found


def _read(path: Path) -> tuple[bytes | None, dict[str, Any]]:
    """Return the content of the file, and what it says; nothing where there is none."""
    if path.parent.is_symlink():
        raise Problem(
            409, f"{visible(str(path.parent))} is a symbolic link", hint="Name the folder that it leads to"
        )
    try:
        content = read_file(path, MOST_BYTES, follow=False)
    except FileNotFoundError:
        return None, {}
    except OSError as error:
        raise Problem(
            409, f"{visible(str(path))} cannot be changed: {error.strerror}", hint="Look at it"
        ) from None
    try:
        settings = json.loads(content or b"{}")
    except (ValueError, RecursionError):
        raise _not_understood(path, "it is no plain JSON") from None
    if not isinstance(settings, dict):
        raise _not_understood(path, "it is no object")
    return content, settings


def _not_understood(path: Path, why: str) -> Problem:
    hint = "Nothing was changed. Enter the hook by hand: docs/hooks.md"
    return Problem(422, f"{visible(str(path))} is not understood: {why}", hint=hint)


def _write(path: Path, before: bytes | None, settings: dict[str, Any]) -> bool:
    """Put the settings in place, whole or not at all, unless somebody changed them meanwhile."""
    after = (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
    if after == before:
        return False
    part = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            stack.callback(part.unlink, missing_ok=True)
            _fill(part, after, path)
            if _read(path)[0] != before:
                raise Problem(409, f"{visible(str(path))} was changed meanwhile", hint="Try again")
            put_in_place(part, path)
    except OSError as error:
        raise Problem(
            409, f"{visible(str(path))} cannot be written: {error.strerror}", hint="Look at its folder"
        ) from None
    return True


def _fill(part: Path, content: bytes, like: Path) -> None:
    """Write a new file with the mode of another; 0600 where there is none."""
    mode = like.stat().st_mode & 0o777 if like.exists() else 0o600
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
