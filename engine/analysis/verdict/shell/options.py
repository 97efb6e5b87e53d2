"""Sorts the arguments of a program into options, their values, and operands, as getopt does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.analysis.verdict.shell.library import Program
from engine.analysis.verdict.shell.state import State
from engine.analysis.verdict.shell.words import HOLE, Word


@dataclass(slots=True)
class Options:
    """The arguments of a command, sorted."""

    values: list[tuple[str, Word, str]] = field(default_factory=list)
    """Options with their values: the word, and what precedes the value in it."""
    operands: list[Word] = field(default_factory=list)

    def given(self, *names: str) -> list[tuple[Word, str]]:
        """Return the values of some options, each with what precedes it in its word."""
        return [(word, before) for name, word, before in self.values if name in names]


def sort_arguments(state: State, program: Program, args: Sequence[Word]) -> Options:
    """Sort arguments as getopt does, and refuse what could be another option or a file."""
    found, at, only = Options(), 0, False
    while at < len(args):
        arg = args[at]
        at += 1
        if arg.many:
            state.refuse(arg.start, arg.end, "this may become options or names of files")
        elif program.ordered and found.operands and len(arg.prefix) > 1 and arg.prefix[0] == "-":
            state.refuse(arg.start, arg.end, "this follows an operand, where it is no option")
        elif only or (arg.prefix[:1] != "-" and arg.prefix) or arg.text in {"-", ""}:
            found.operands.append(arg)
        elif arg.text == "--":
            only = True
        elif (option := _option(program, arg)) is None:
            state.refuse(arg.start, arg.end, "an option that is not on the list")
        elif option[0] and option[1]:
            _check_glued(state, arg, option[1], last=at == len(args))
            found.values.append((option[0], arg, option[1]))
        elif option[0]:
            value = next(iter(args[at : at + 1]), None)
            if value is None or value.many:
                state.refuse(arg.start, arg.end, "an option without its value")
            else:
                found.values.append((option[0], value, ""))
            at += 1
    return found


def _check_glued(state: State, arg: Word, before: str, *, last: bool) -> None:
    """Refuse a value that may be nothing, so that the next word is the value of its letter."""
    if before[:2] != "--" and not last and not arg.shape[len(before) :].strip(HOLE):
        state.refuse(arg.start, arg.end, "this value may be nothing, and the next word the value")


def _option(program: Program, arg: Word) -> tuple[str, str] | None:
    """Return the option with a value in a word, and what precedes a value that is glued to it."""
    if arg.prefix.startswith("--"):
        return _long_option(program, arg)
    for index, letter in enumerate(arg.prefix[1:], 2):
        if letter in program.valued:
            if any(one.isdigit() for one in arg.prefix[1 : index - 1]):
                return None  # `head -5c` takes no value
            glued = index < len(arg.shape)
            return letter, arg.prefix[:index] if glued else ""
        if letter not in program.flags:
            return None
    return ("", "") if arg.text is not None else None


def _long_option(program: Program, arg: Word) -> tuple[str, str] | None:
    """Return the same for a name after `--`; one letter is the beginning of any name for getopt."""
    name, equals, _ = arg.prefix[2:].partition("=")
    if len(name) == 1:
        return None
    if name in program.valued and (equals or arg.text is not None):
        return name, f"--{name}=" if equals else ""
    return ("", "") if arg.text is not None and arg.text[2:] in program.flags else None
