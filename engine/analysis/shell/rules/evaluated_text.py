"""Text that a command runs as shell code: what it is, and how much of it is known in advance."""

from __future__ import annotations

import re

from engine.analysis.shell.declare import HIGH, LOW, MEDIUM
from engine.analysis.shell.flow import SHELLS, before, given, is_interpreter
from engine.analysis.shell.model import Arg, Command, InputText, Script
from engine.analysis.shell.values import UNKNOWN
from engine.models import Level

_COMMAND_PLACE = re.compile(
    r"(?:^(?:--\s)?|[;&|({!\n]|\b(?:sudo|doas|env|exec|command|builtin|time|nohup|then|do|else|eval)\s|\w=\S*\s)[\s\"'\\]*"
    rf"(?:{UNKNOWN}\w*|\$\{{?\w+\}}?\w*|[$`])(?!=)"
)
"""Something that is only known at run time, where shell expects the name of a command."""


def severity_of(script: Script, command: Command, text: str, taints: set[str]) -> Level | None:
    """Return how grave it is that `text` runs, by what of it is known only at run time."""
    if "setup" in taints:
        return LOW
    raw = _written(command)
    if UNKNOWN in text or (_in_function(script, command) and re.search(r"[$`]", raw)):
        decides = _COMMAND_PLACE.search(text) or (UNKNOWN not in text and _COMMAND_PLACE.search(raw))
        return HIGH if decides else MEDIUM
    if command.name == "eval":
        return LOW
    kept_away = any(arg.origin for other in before(command) for arg in other.args)
    return MEDIUM if kept_away else None


def _written(command: Command) -> str:
    """Return the words that hold the text which a command runs, as the script spells them."""
    pieces = [command.tree.slice(one.start, one.end).strip("\"'") for one in _sources(command)]
    return " ".join(piece for piece in pieces if piece[:1] not in {"-", "%"})


def _sources(command: Command) -> list[Arg] | list[InputText]:
    if command.name == "eval":
        return list(command.args)
    option = _code_option(command)
    if option is not None:
        return list(command.args[option + 1 : option + 2])
    if command.feed is not None:
        return [command.feed]
    return [arg for other in before(command) for arg in other.args]


def _in_function(script: Script, command: Command) -> bool:
    return any(start <= command.start < end for start, end in script.functions.values())


def code_of(command: Command) -> tuple[str, set[str]] | None:
    """Return the text that a command runs as shell code, or None where it runs none."""
    if command.name == "eval":
        return command.text, {taint for arg in command.args for taint in arg.taints}
    if command.name not in SHELLS and not (is_interpreter(command.name) and not command.args):
        return None
    option = _code_option(command)
    if option is not None and command.name in SHELLS:
        arg = command.args[option + 1]
        nested_commands = "xargs" in command.wrappers and arg.text.lstrip("\"' ").startswith("{}")
        return arg.text, {*arg.taints, "input"} if nested_commands else set(arg.taints)
    if command.feed is not None:
        return command.feed.text, set(command.feed.taints)
    if command.upstream and (not command.operands or command.has("s")):
        taints = {taint for other in before(command) for arg in other.args for taint in arg.taints}
        return given(command), taints
    return None


def _code_option(command: Command) -> int | None:
    """Return the position of the option `-c` that is followed by code."""
    places = (i for i, word in enumerate(command.words[:-1]) if re.fullmatch(r"-\w*c\w*", word))
    return next(places, None)
