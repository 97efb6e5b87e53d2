"""Builtins: which variables they assign, and which of their arguments could do more."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from engine.analysis.verdict.shell.conditions import check_test
from engine.analysis.verdict.shell.library import READ
from engine.analysis.verdict.shell.names import LOCALES, NAME, may_assign
from engine.analysis.verdict.shell.options import sort_arguments
from engine.analysis.verdict.shell.programs import is_format
from engine.analysis.verdict.shell.state import POSITIONS, State
from engine.analysis.verdict.shell.values import TEXT
from engine.analysis.verdict.shell.words import Word

_SETS = re.compile(r"-(?:[eu]+|[eu]*o)")
_SET_NAMES = frozenset({"pipefail", "errexit", "nounset"})


def _read(state: State, words: Sequence[Word]) -> None:
    """Record what `read` assigns, which is nothing where the input cannot be read."""
    for word in sort_arguments(state, READ, words[1:]).operands:
        if word.text is None or not NAME.fullmatch(word.text):
            state.refuse(word.start, word.end, "the name of a variable is not spelled out")
        else:
            state.assign(word.text, TEXT, word.start)


def _printf(state: State, words: Sequence[Word]) -> None:
    args = words[2:] if len(words) > 1 and words[1].text == "--" else words[1:]
    for form in args[:1]:
        if form.text is None or form.text[:1] == "-" or not is_format(form.text):
            state.refuse(form.start, form.end, "a format of `printf` that is not in the provable subset")


def _test(state: State, words: Sequence[Word]) -> None:
    args = list(words[1:])
    if words[0].text == "[":
        if not args or args[-1].text != "]":
            state.refuse(words[0].start, words[-1].end, "a `[` without its `]`")
            return
        args = args[:-1]
    check_test(state, args, words[-1].end)


def _set(state: State, words: Sequence[Word]) -> None:
    args = words[1:]
    if not args or (args[-1].text or "")[-1:] == "o":
        state.refuse(words[0].start, words[-1].end, "it prints variables or options")
    for index, arg in enumerate(args):
        named = index and (args[index - 1].text or "")[-1:] == "o" and arg.text in _SET_NAMES
        if not named and not _SETS.fullmatch(arg.text or ""):
            state.refuse(arg.start, arg.end, "an option of the shell that is not on the list")


def _shift(state: State, words: Sequence[Word]) -> None:
    if state.function:
        places = frozenset(f"{state.function}:{number}" for number in range(1, POSITIONS))
        state.values.bind(f"{state.function}:*", places)


def _local(state: State, words: Sequence[Word]) -> None:
    if not state.function or len(words) < 2:
        state.refuse(words[0].start, words[-1].end, "`local` names variables of a function")
    for word in words[1:]:
        text = word.text or ""
        if not NAME.fullmatch(text) or not (may_assign(text) or text in LOCALES):
            state.refuse(word.start, word.end, "a declaration that is not in the provable subset")
        state.values.bind(f"${text}", frozenset())


CHECKS: Mapping[str, Callable[[State, Sequence[Word]], None]] = {
    "read": _read,
    "printf": _printf,
    "test": _test,
    "[": _test,
    "set": _set,
    "shift": _shift,
    "local": _local,
}
"""Builtins whose arguments are checked one by one."""
