"""Commands: whether they are listed, and whether their arguments keep them from files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from engine.analysis.verdict.shell.builtins import CHECKS
from engine.analysis.verdict.shell.library import COMMANDS, FREE, PROGRAMS
from engine.analysis.verdict.shell.options import Options, sort_arguments
from engine.analysis.verdict.shell.programs import is_pure_awk, is_pure_sed
from engine.analysis.verdict.shell.state import POSITIONS, Call, State
from engine.analysis.verdict.shell.values import NUMBER, TEXT, Kind, Value
from engine.analysis.verdict.shell.words import Word

_INTEGER = re.compile(r"(?a)-?\d+|[-+*/%]")
_CLOCK = re.compile(r"\+(?:%[-_0]?[sYmdHMSNjuwyC])+")
_AWK_VARIABLE = re.compile(r"(?a)[a-z]\w*=")
_ECHOES = re.compile(r"-[rz]*e[rz]*")
_COUNTED = frozenset({"exit", "return", "break", "continue", "shift"})
"""Builtins that give up the line where they have several arguments."""
_NO_DASH = frozenset({"tee", "rev", "bc"})
"""Programs for which `-` is the name of a file."""


def check_command(state: State, words: Sequence[Word]) -> Value:
    """Refuse what a command does outside itself, and return what it prints."""
    first, args = words[0], words[1:]
    name = first.text
    if name is None or first.quoted or first.many:
        state.refuse(first.start, first.end, "the name of the command is not spelled out")
        return TEXT
    state.calls.append(Call(name, first.start, first.end, state.function))
    if name in _COUNTED and args:
        state.may_fail()
    if name not in COMMANDS:
        _call(state, name, args)
    elif name in PROGRAMS:
        _program(state, name, args, first)
    elif name not in FREE:
        CHECKS[name](state, words)
    return _printed(state, name, args)


def _printed(state: State, name: str, args: Sequence[Word]) -> Value:
    """Return what a command prints."""
    texts = [arg.text for arg in args]
    if name == "echo" and len(args) == 1 and not args[0].many and args[0].prefix[:1] != "-":
        return args[0].value
    if name == "wc" and len(args) == 1 and texts[0] in {"-l", "-w", "-c", "-m"}:
        return NUMBER
    if name in {"seq", "expr"} and all(text is None or _INTEGER.fullmatch(text) for text in texts):
        given = frozenset[Kind | str]().union(NUMBER, *(arg.value for arg in args if arg.text is None))
        return state.values.compute(f"#{state.at}", given)
    if name == "date" and len(args) == 1 and _CLOCK.fullmatch(texts[0] or ""):
        return NUMBER
    return TEXT


def _call(state: State, name: str, args: Sequence[Word]) -> None:
    """Record what a function is given."""
    state.may_fail()
    for place in ("*", *map(str, range(POSITIONS))):
        state.values.bind(f"{name}:{place}", frozenset())
    several = False
    for index, arg in enumerate(args, 1):
        several = several or arg.many
        state.values.bind(f"{name}:{'*' if several or index >= POSITIONS else index}", arg.value)


def _program(state: State, name: str, args: Sequence[Word], first: Word) -> None:
    program = PROGRAMS[name]
    found = sort_arguments(state, program, args)
    rest = found.operands
    if name in _LANGUAGES:
        rest = _script(state, name, found)
    elif name == "date":
        rest = [word for word in rest if word.prefix[:1] != "+"]
        _dates(state, found)
    elif name in {"grep", "egrep", "fgrep"} and not found.given("e", "regexp"):
        rest = rest[1:]
    elif name == "shuf" and args and _ECHOES.fullmatch(args[0].text or ""):
        rest = []
    for word in rest:
        if word.text != "-" or name in _NO_DASH:
            state.refuse(word.start, word.end, f"`{first.text}` reads a file")


def _script(state: State, name: str, found: Options) -> list[Word]:
    """Check the program that `sed` or `awk` is given, and return the operands behind it."""
    given = found.given("e", "expression") if name == "sed" else []
    rest = found.operands if given else found.operands[1:]
    for word, before in given or [(word, "") for word in found.operands[:1]]:
        text = None if word.text is None else word.text[len(before) :]
        if text is None or not _LANGUAGES[name](text):
            state.refuse(word.start, word.end, f"a script of `{name}` that is not in the provable subset")
    for word, before in found.given("v"):
        if not _AWK_VARIABLE.match(word.prefix[len(before) :]):
            state.refuse(word.start, word.end, "a variable of `awk` that is not spelled out")
    return rest


_LANGUAGES: Mapping[str, Callable[[str], bool]] = {
    "sed": is_pure_sed,
    "awk": is_pure_awk,
    "mawk": is_pure_awk,
    "gawk": is_pure_awk,
}


def _dates(state: State, found: Options) -> None:
    for word, _ in found.given("d", "date"):
        if word.text is None or "TZ" in word.text:
            state.refuse(word.start, word.end, "a date that is not spelled out may name a file")
