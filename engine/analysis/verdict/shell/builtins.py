"""Builtins: which variables they assign, and which of their arguments could do more."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from engine.analysis.verdict.shell.assignments import DECLARES, declare_map
from engine.analysis.verdict.shell.conditions import check_test
from engine.analysis.verdict.shell.library import BUILTINS
from engine.analysis.verdict.shell.names import LOCALES, NAME, is_unset_in_sandbox, may_assign, may_export
from engine.analysis.verdict.shell.options import sort_arguments
from engine.analysis.verdict.shell.programs import is_format
from engine.analysis.verdict.shell.state import POSITIONS, State
from engine.analysis.verdict.shell.values import TEXT, Kind
from engine.analysis.verdict.shell.words import HOLE, Word

_SETS = re.compile(r"[-+](?:[euf]+|[euf]*o)")
_SET_NAMES = frozenset({"pipefail", "errexit", "nounset", "noglob"})
_SHOPTS = frozenset({"-s", "-u", "nocasematch"})
_COUNT = re.compile(r"(?a)[1-9]\d{0,8}")
_LOCAL = frozenset({"local", "declare", "typeset"})
_PLAIN = frozenset({"export", "readonly"})
"""Builtins that declare, and know no option here but `-a`."""
_DECLARE_OPTIONS = re.compile(r"-[aArgxlu]+")


def check_reads(state: State, name: str, args: Sequence[Word]) -> None:
    """Record what `read` and `mapfile` assign: they may fail before, or keep what an array has."""
    found = sort_arguments(state, BUILTINS[name], args)
    arrays = found.given("a")
    for word, before in (*arrays, *found.given("O")):
        if before or word.text is None:
            state.refuse(word.start, word.end, "the name of a variable is not spelled out")
    whole = not found.given("t", "O", "s") and all(_counts(word, at) for word, at in found.given("n", "N"))
    for word, _ in arrays:
        _into(state, word, array=True, whole=whole and len(arrays) == 1)
    for word in found.operands:
        _into(state, word, array=name != "read", whole=whole and not arrays)
    if name != "read" and len(found.operands) != 1:
        start = args[0].start if args else state.at
        state.refuse(start, state.at, "the array that is read into is not named, or there are several")


def _counts(word: Word, before: str) -> bool:
    """Return whether a value of an option is a number of characters above zero."""
    return word.text is not None and bool(_COUNT.fullmatch(word.text[len(before) :]))


def _into(state: State, word: Word, *, array: bool = False, whole: bool = True) -> None:
    """Record that a builtin assigns to the variable that a word names."""
    if word.text is None or not NAME.fullmatch(word.text):
        state.refuse(word.start, word.end, "the name of a variable is not spelled out")
        return
    if array:
        state.arrays.add(word.text)
    state.assign(word.text, TEXT, word.start, whole=whole)
    state.changes.append((word.text, word.start, word.end, bool(state.function or state.nested)))


def _printf(state: State, words: Sequence[Word]) -> None:
    args = list(words[1:])
    assigns = args[:1] and args[0].text == "-v" and len(args) > 1
    if assigns:
        _into(state, args[1])
        args = args[2:]
    if args and args[0].text == "--":
        args = args[1:]
    if args:
        _format(state, args[0])
    elif assigns:
        state.refuse(words[0].start, words[-1].end, "`printf` without a format assigns nothing")


def _format(state: State, form: Word) -> None:
    reason = "a format of `printf` that is not in the provable subset"
    if form.many or form.prefix[:1] == "-" or (form.text is not None and not is_format(form.text)):
        state.refuse(form.start, form.end, reason)
    elif form.text is not None:
        return
    elif is_format(form.shape.replace(HOLE, "Z")) and form.prefix:
        state.values.need(form.expanded, Kind.PLAIN, form.start, form.end, reason)
    elif is_format(form.shape.replace(HOLE, "1")) and form.prefix:
        state.values.need(form.expanded, Kind.NUMBER, form.start, form.end, reason)
    else:
        state.refuse(form.start, form.end, reason)


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
    if args and args[0].text == "--":
        if state.function:
            for arg in args[1:]:
                state.values.bind(f"{state.function}:*", arg.value)
        return
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


def _unset(state: State, words: Sequence[Word]) -> None:
    for word in words[1:]:
        if word.text == "-v":
            continue
        if word.text is None or not NAME.fullmatch(word.text) or not may_assign(word.text):
            state.refuse(word.start, word.end, "what is unset is not the spelled out name of a variable")
            continue
        if state.function and not is_unset_in_sandbox(word.text):
            state.refuse(word.start, word.end, f"`{word.text}` may be local, and hide one of the environment")
        state.unset.append((word.text, word.start, word.end))


def _getopts(state: State, words: Sequence[Word]) -> None:
    if len(words) < 3 or words[1].many or words[1].prefix[:1] in {"", "-"}:
        state.refuse(words[0].start, words[-1].end, "`getopts` without a variable")
        return
    _into(state, words[2])


def _shopt(state: State, words: Sequence[Word]) -> None:
    for word in words[1:]:
        if word.text not in _SHOPTS:
            state.refuse(word.start, word.end, "an option of the shell that is not on the list")


def _declared(state: State, words: Sequence[Word]) -> None:
    command, options, named = words[0].text, "", False
    for word in words[1:]:
        text = word.text or ""
        if not named and _DECLARE_OPTIONS.fullmatch(text):
            options += text[1:]
        elif NAME.fullmatch(text) and (may_assign(text) or text in LOCALES):
            named = True
            _declare_name(state, word, command or "", options)
        else:
            state.refuse(word.start, word.end, "a declaration that is not in the provable subset")
    if (command == "local" and not state.function) or (command in _PLAIN and options.strip("a")):
        state.refuse(words[0].start, words[-1].end, "a declaration that bash refuses")
    if len({word.text for word in words[1:]}) < len(words) - 1:
        state.refuse(words[0].start, words[-1].end, "a name that is declared twice, the second time in vain")
    if "A" in options and "a" in options:
        state.refuse(words[0].start, words[-1].end, "a declaration that bash refuses")
    if not named:
        state.refuse(words[0].start, words[0].end, "it prints variables of the environment")


def _declare_name(state: State, word: Word, command: str, options: str) -> None:
    name, local = word.text or "", bool(state.function) and command in _LOCAL and "g" not in options
    exported = command == "export" or "x" in options
    if exported and not may_export(name) and name not in LOCALES:
        state.refuse(word.start, word.end, f"`{name}` may mean something to other programs")
    if "A" in options:
        declare_map(state, name, word.start)
    else:
        state.others.add(name)
        state.values.bind(f"${name}", frozenset())
    if "a" in options:
        state.arrays.add(name)
    if command == "readonly" or "r" in options:
        state.frozen.setdefault(name, word.start)
        if not local:  # it keeps what the environment has
            state.read_variable(name, word.start)
    if local:
        state.owned |= {name}


CHECKS: Mapping[str, Callable[[State, Sequence[Word]], None]] = {
    "printf": _printf,
    "test": _test,
    "[": _test,
    "set": _set,
    "shift": _shift,
    "unset": _unset,
    "getopts": _getopts,
    "shopt": _shopt,
    **dict.fromkeys(DECLARES, _declared),
}
