"""The man page and the completions of shells, written from the command line itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import typer
from typer._completion_shared import get_completion_script

from engine import cli
from tests.packages.light_client import version

MAN_PAGE = "man/man1/pratique.1"
COMPLETIONS = {
    "bash": "bash-completion/completions/pratique",
    "fish": "fish/vendor_completions.d/pratique.fish",
    "zsh": "zsh/site-functions/_pratique",
}
"""By shell, where its completions lie below /usr/share."""
COMPLETE = "_PRATIQUE_COMPLETE"


def files() -> dict[Path, str]:
    """Return what is written, by its path below /usr/share."""
    found = {Path(MAN_PAGE): man_page()}
    for shell, path in COMPLETIONS.items():
        script = get_completion_script(prog_name="pratique", complete_var=COMPLETE, shell=shell)
        found[Path(path)] = script + "\n"
    return found


def man_page() -> str:
    """Return the man page in the macros of man(7)."""
    app = typer.main.get_command(cli._app([]))
    head = [
        f'.TH PRATIQUE 1 "" "pratique {version()}" "User commands"',
        ".SH NAME",
        r"pratique \- review and run LLM-generated code in gVisor sandboxes",
        ".SH SYNOPSIS",
        ".B pratique",
        "[\\fICOMMAND\\fR] [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...",
        ".SH DESCRIPTION",
        _plain(app.help or ""),
        ".SH COMMANDS",
    ]
    return "\n".join([*head, *_commands(app, ()), ".SH EXIT STATUS", _plain(cli.EXIT_CODES), ""])


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines about a command, or about those of a group; `command` is of the library under typer."""
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _commands(inner, (*path, name))
        return
    named = [_value(each) for each in command.params if each.param_type_name == "argument"]
    yield f".SS {_plain(' '.join(('pratique', *path, *named)))}"
    yield _plain(command.help or "")
    for each in command.params:
        if each.param_type_name == "option" and not each.hidden:
            yield from (".TP", _option(each), _plain(each.help or ""))


def _option(option: Any) -> str:
    value = "" if option.is_flag else f" {_value(option)}"
    return f"\\fB{_plain(', '.join(option.opts))}\\fR{_plain(value)}"


def _value(parameter: Any) -> str:
    """Return what stands for the value of a parameter: its choices, or its name in capitals."""
    kind = parameter.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(choice.value) for choice in kind)
    name = str(parameter.metavar or parameter.name).upper()
    return f"[{name}]" if parameter.param_type_name == "argument" and not parameter.required else name


def _plain(text: str) -> str:
    """Return a text as one line in which nothing is a request or an escape."""
    line = re.sub(r"\s+", " ", text).strip() if text.strip() else ""
    space = " " if text.startswith(" ") and line else ""
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return space + (f"\\&{line}" if line.startswith((".", "'")) else line)


def write(folder: Path) -> None:
    """Write the files into a folder."""
    for path, text in files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
