"""A shell script as the rules see it: commands with expanded words, inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, cast

from tree_sitter import Node

from engine.analysis.shell.grammar import nodes_by_kind
from engine.analysis.shell.values import UNKNOWN, SourceStep, shown
from engine.analysis.syntax import Tree
from engine.models import Evidence, Span
from engine.settings import AnalysisSettings

T = TypeVar("T")


class Arg(NamedTuple):
    """One field of a command: its text with unknown stretches marked, and its position."""

    text: str
    start: int
    end: int
    taints: frozenset[str] = frozenset()
    origin: tuple[SourceStep, ...] = ()
    literal: bool = False
    """Whether the text is in the source character for character, from `start` on."""

    @property
    def known(self) -> bool:
        """Whether nothing in the text is unknown."""
        return UNKNOWN not in self.text


class Redirect(NamedTuple):
    """A redirection: `>`, `>>`, `<`, `<>`, `&>` … and the file that it names."""

    operator: str
    target: Arg
    place: SourceStep

    @property
    def writes(self) -> bool:
        """Whether the file is written."""
        return ">" in self.operator

    @property
    def span(self) -> Span:
        """Its position in the source."""
        return self.place.span

    @property
    def row(self) -> int:
        """The number of the line on which it begins."""
        return self.place.tree.row(self.place.start)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The assignments from which the name of the file came."""
        return tuple(step.evidence for step in self.target.origin)


@dataclass(frozen=True, slots=True)
class InputText:
    """Text that is given to a command's input: a here-document or a here-string."""

    text: str
    start: int
    end: int
    taints: frozenset[str] = frozenset()
    literal: bool = False


@dataclass(slots=True)
class Command:
    """One simple command, its wrappers (`sudo`, `env`, `nohup` …) taken off."""

    name: str
    """The program, without its folder; unknown where it is only known when the code runs."""
    program: Arg
    args: tuple[Arg, ...]
    tree: Tree
    start: int
    end: int
    wrappers: tuple[str, ...] = ()
    assigned: tuple[tuple[str, str], ...] = ()
    redirects: tuple[Redirect, ...] = ()
    feed: InputText | None = None
    upstream: tuple[Command, ...] = ()
    """What is piped into it."""
    piped: bool = False
    """Whether its output goes into a pipe."""
    background: bool = False
    own: bool = False
    """Whether the name is a function of the script itself."""

    words: list[str] = field(init=False)
    """The texts of the arguments."""
    text: str = field(init=False)
    """The words, joined by blanks."""
    operands: list[Arg] = field(init=False)
    """The arguments that are no options."""

    def __post_init__(self) -> None:
        self.words = [arg.text for arg in self.args]
        self.text = " ".join(self.words)
        self.operands = [arg for arg in self.args if arg.text[:1] != "-" or arg.text == "-"]

    @property
    def span(self) -> Span:
        """Its position in the source."""
        return self.tree.span_of(self.start, self.end)

    @property
    def row(self) -> int:
        """The number of the line on which it begins."""
        return self.tree.row(self.start)

    @property
    def line(self) -> str:
        """The resolved command for people, cut at 120 characters."""
        text = shown(f"{self.name} {self.text}" if self.args else self.name)
        return text if len(text) <= 120 else text[:119] + "…"

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The assignments from which its words came."""
        steps = [step for arg in (self.program, *self.args) for step in arg.origin]
        return tuple(step.evidence for step in tuple(dict.fromkeys(steps))[:8])

    def has(self, short: str, *long: str) -> bool:
        """Return whether a one-letter option, alone or in a cluster, or one of the long options is given."""
        for word in self.words:
            if word == "--":
                return False
            if word.startswith("--"):
                if word.split("=")[0] in long:
                    return True
            elif word[:1] == "-" and (word in long or (short and short in word[1:] and len(word) < 8)):
                return True
        return False

    def option(self, *names: str) -> Arg | None:
        """Return the argument of an option, written `-o x`, `-ox`, `--option x` or `--option=x`."""
        for index, arg in enumerate(self.args):
            for name in names:
                if arg.text == name:
                    return self.args[index + 1] if index + 1 < len(self.args) else None
                glue = name + "=" if name.startswith("--") or len(name) > 2 else name
                if arg.text.startswith(glue) and len(arg.text) > len(glue):
                    text = arg.text[len(glue) :].removeprefix("=")
                    return Arg(text, arg.start, arg.end, arg.taints, arg.origin)
        return None


@dataclass(slots=True)
class Loop:
    """A loop: the text before its body, and its place."""

    condition: str
    span: Span
    start: int
    end: int


@dataclass(slots=True)
class Script:
    """Everything that was read of one script."""

    tree: Tree
    settings: AnalysisSettings
    depth: int
    commands: list[Command] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    functions: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The byte ranges of the bodies of functions."""
    assignments: list[tuple[str, Arg, SourceStep]] = field(default_factory=list)
    names_read: list[tuple[str, Span]] = field(default_factory=list)
    """Variables that are used without having been assigned."""
    cut: bool = False
    """Whether something was too large or too deep to be followed."""
    _index: dict[str, list[Command]] | None = None
    _known: dict[str, Any] = field(default_factory=dict)

    @property
    def by_name(self) -> dict[str, list[Command]]:
        """The commands that are not functions of the script. Asked for once all are there."""
        if self._index is None:
            self._index = {}
            for command in self.commands:
                if not command.own:
                    self._index.setdefault(command.name, []).append(command)
        return self._index

    def nodes(self, *kinds: str) -> list[Node]:
        """Return all nodes of these kinds, kind by kind."""
        found = self.once("nodes", lambda script: nodes_by_kind(script.tree))
        return [node for kind in kinds for node in found.get(kind, ())]

    def once(self, name: str, work: Callable[[Script], T]) -> T:
        """Return the result of `work`, computed once."""
        if name not in self._known:
            self._known[name] = work(self)
        return cast("T", self._known[name])

    def named(self, *names: str) -> Iterator[Command]:
        """Yield the commands of these names that are not functions of the script."""
        index = self.by_name
        for name in names:
            if name in index:
                yield from index[name]
