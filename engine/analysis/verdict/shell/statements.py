"""Statements: lists, pipelines, loops, functions, redirections and here-documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from engine.analysis.verdict.shell.assignments import Assignments
from engine.analysis.verdict.shell.conditions import Conditions
from engine.analysis.verdict.shell.expansions import Expansions
from engine.analysis.verdict.shell.names import NAME
from engine.analysis.verdict.shell.redirections import Redirections
from engine.analysis.verdict.shell.simple_commands import SimpleCommands
from engine.analysis.verdict.shell.state import RefusedError, State
from engine.analysis.verdict.shell.sums import Sums
from engine.analysis.verdict.shell.values import TEXT, Value
from engine.analysis.verdict.shell.words import Word, Words

_COMMENT = re.compile(r"#[^\n]*")
_KEYWORD = re.compile(
    r"(?a)(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|function|select|time|coproc|in"
    r"|\{|\}|!|\[\[)(?=[\s;&|()<>]|$)"
)
_ENDS_LIST = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
_FUNCTION = re.compile(r"(?a)([A-Za-z_][A-Za-z0-9_]*)[ \t]*\([ \t]*\)")
_FUNCTION_WORD = re.compile(
    r"(?a)function[ \t]+([A-Za-z_][A-Za-z0-9_]*)(?:[ \t]*\([ \t]*\)(?=[ \t\n({])|(?=[ \t\n]))"
)
_RESERVED = frozenset({
    "command_not_found_handle", "alias", "bg", "bind", "builtin", "caller", "cd", "command", "compgen",
    "complete", "compopt", "declare", "dirs", "disown", "enable", "eval", "exec", "export", "fc", "fg",
    "getopts", "hash", "help", "history", "jobs", "kill", "let", "logout", "mapfile", "popd", "pushd", "pwd",
    "readarray", "readonly", "shopt", "source", "suspend", "times", "trap", "type", "typeset", "ulimit",
    "umask", "unalias", "unset", "wait",
})  # fmt: skip
"""Names that bash gives a meaning, which functions may not have."""
_NOT_ALWAYS = "only functions that are always defined are in the provable subset"
_NOT_SUBSTITUTED = "bash reads more than pipelines in one line differently within a substitution"
_PROCESS = re.compile(r"[<>]\(")


class Statements:
    """Reads a whole script."""

    def __init__(self) -> None:
        words = Words(self._expand)
        sums = Sums(words)
        self._words = words
        self._sums = sums
        self._expansions = Expansions(words, sums, self._substitution)
        self._conditions = Conditions(words)
        assignments = Assignments(words)
        self._redirections = Redirections(words)
        self._simple = SimpleCommands(words, assignments, self._redirections)

    def _expand(self, state: State, word: Word, quoted: bool) -> None:
        self._expansions.read(state, word, quoted)

    def script(self, state: State) -> None:
        """Read everything."""
        if found := _PROCESS.search(state.text):
            state.refuse(found.start(), found.end(), "`<(` and `>(` run commands, also within patterns")
        try:
            self._list(state, lines=True)
            if state.char() or state.heres:
                state.stop("a statement that is not in the provable subset")
        except RefusedError:
            return

    # --- lists --------------------------------------------------------------------------------------------

    def _space(self, state: State) -> bool:
        """Pass over blanks, comments and ends of lines, and return whether a line ended."""
        ended = False
        while True:
            state.blanks()
            if self._comment(state):
                continue
            if not state.looking("\n"):
                return ended
            self._line_end(state)
            ended = True

    def _comment(self, state: State) -> bool:
        found = state.match(_COMMENT)
        if found and state.substituted:
            state.stop(_NOT_SUBSTITUTED)
        return bool(found)

    def _line_end(self, state: State) -> None:
        if state.substituted:
            state.stop(_NOT_SUBSTITUTED)
        state.at += 1
        heres, state.heres = state.heres, []
        for here in heres:
            self._redirections.here_text(state, here)

    def _list(self, state: State, *, lines: bool = False) -> Value:
        """Read statements up to what ends a list, and return what they print, if there is only one.

        `lines` says that bash runs each line before it reads the next.
        """
        values: list[Value] = []
        self._space(state)
        while not self._at_end(state):
            values.append(self._and_or(state))
            state.blanks()
            self._comment(state)
            if state.looking(";;") or not (state.take(";") or state.looking("\n")):
                break
            if self._space(state) and lines:
                state.end_line()
        return values[0] if len(values) == 1 else TEXT

    def _at_end(self, state: State) -> bool:
        keyword = _KEYWORD.match(state.text, state.at)
        return (
            not state.char()
            or state.char() == ")"
            or state.looking(";;")
            or bool(keyword and keyword[0] in _ENDS_LIST)
        )

    def _filled(self, state: State) -> None:
        """Read a list that may not be empty."""
        start = state.at
        self._space(state)
        if self._at_end(state):
            state.at = start
            state.stop("a list without a command")
        self._list(state)

    def _and_or(self, state: State) -> Value:
        value = self._pipeline(state)
        while state.take("&&") or state.take("||"):
            with state.nesting():
                self._space(state)
                self._pipeline(state)
            value = TEXT
        return value

    def _pipeline(self, state: State) -> Value:
        state.blanks()
        while state.take("! "):
            state.blanks()
        before, defined, start = state.owned, len(state.defined), state.at
        value = self._command(state)
        while state.looking("|") and not state.looking("||") and not state.looking("|&"):
            state.owned = before
            state.may_fail()  # where there may be no more processes
            if defined != len(state.defined):
                state.refuse(start, state.at, "what a pipeline defines is not kept")
            state.at += 1
            with state.nesting():
                self._space(state)
                value = self._command(state)
        if state.looking("&") and not state.looking("&&"):
            state.stop("a command in the background")
        return value

    # --- commands -----------------------------------------------------------------------------------------

    def _command(self, state: State) -> Value:
        keyword = _KEYWORD.match(state.text, state.at)
        if state.substituted and (keyword or state.looking("(")):
            state.stop(_NOT_SUBSTITUTED)
        if keyword and keyword[0] in self._COMPOUND:
            state.at = keyword.end()
            with state.nesting():
                self._COMPOUND[keyword[0]](self, state)
        elif found := state.match(_FUNCTION_WORD) or state.match(_FUNCTION):
            self._function(state, found[1], found.start())
            return TEXT
        elif keyword:
            state.stop(f"`{keyword[0]}` is not in the provable subset")
        elif state.take("(("):
            self._sums.read(state, "))")
        elif state.take("("):
            self._subshell(state)
        else:
            return self._simple.read(state)
        self._redirections.read_all(state)
        return TEXT

    def _subshell(self, state: State) -> None:
        with state.nesting(), state.other_line():
            self._filled(state)
            state.expect(")")

    def _group(self, state: State) -> None:
        self._filled(state)
        self._keyword(state, "}")

    def _keyword(self, state: State, *words: str) -> str:
        """Pass over one of some keywords that must come next."""
        self._space(state)
        found = _KEYWORD.match(state.text, state.at)
        if found is None or found[0] not in words:
            state.stop(f"`{words[0]}` is expected here")
        state.at = found.end()
        return found[0]

    def _if(self, state: State) -> None:
        self._filled(state)
        self._keyword(state, "then")
        self._filled(state)
        word = self._keyword(state, "fi", "else", "elif")
        if word == "elif":
            self._if(state)
        elif word == "else":
            self._filled(state)
            self._keyword(state, "fi")

    def _while(self, state: State) -> None:
        self._filled(state)
        self._body(state)

    def _body(self, state: State) -> None:
        self._keyword(state, "do")
        self._filled(state)
        self._keyword(state, "done")

    def _for(self, state: State) -> None:
        state.blanks()
        owned = state.owned
        if state.take("(("):
            for end in (";", ";", "))"):
                self._sums.read(state, end)
        else:
            state.owned |= {self._for_words(state)}
        state.blanks()
        state.take(";")
        self._body(state)
        state.owned = owned

    def _for_words(self, state: State) -> str:
        """Read the head of a loop over words, and return the variable that its body has."""
        name = state.match(NAME)
        if name is None:
            state.stop("a loop that is not in the provable subset")
        state.blanks()
        value = state.read_argument("*")
        if _KEYWORD.match(state.text, state.at) and state.take("in"):
            value = frozenset()
            state.blanks()
            while state.char() not in {"", ";", "\n"}:
                value |= self._words.read_some(state).value
                state.blanks()
        state.assign(name[0], value, name.start())
        return name[0]

    def _case(self, state: State) -> None:
        state.blanks()
        self._words.read(state, splits=False)
        self._keyword(state, "in")
        self._space(state)
        while not (_KEYWORD.match(state.text, state.at) and state.take("esac")):
            self._choice(state)
            self._space(state)

    def _choice(self, state: State) -> None:
        state.take("(")
        while True:
            state.blanks()
            start = state.at
            self._words.read(state, splits=False, pattern=True)
            if state.at == start:
                state.stop("a pattern that is not in the provable subset")
            state.blanks()
            if not state.take("|"):
                break
        state.expect(")")
        self._list(state)
        self._space(state)
        if not state.take(";;") and not state.looking("esac"):
            state.stop("`;;` is expected here")

    def _condition(self, state: State) -> None:
        self._conditions.read(state)

    def _function(self, state: State, name: str, start: int) -> None:
        reserved = name in _RESERVED or _KEYWORD.fullmatch(name)
        if state.nested or state.function or state.doubtful or reserved:
            state.refuse(start, state.at, _NOT_ALWAYS)
        outer, state.function = state.function, name
        self._keyword(state, "{")
        with state.nesting(), state.other_line():
            self._group(state)
        state.function = outer
        state.defined.setdefault(name, state.at)

    def _substitution(self, state: State) -> Value:
        """Read the commands of `$(…)` up to its end, and return what they print."""
        if state.substituted:
            state.stop(_NOT_SUBSTITUTED)
        if state.heres:
            state.stop("a here-document around a substitution is read in different ways")
        if state.inner:
            state.stop("bash looks for the end of a substitution within an expansion in different ways")
        with state.other_line(substituted=True):
            value = self._list(state)
            state.expect(")")
        return value

    _COMPOUND: Mapping[str, Callable[[Statements, State], None]] = {
        "if": _if,
        "for": _for,
        "while": _while,
        "until": _while,
        "case": _case,
        "{": _group,
        "[[": _condition,
    }
