"""Computes the output of command substitutions where it is known."""

from __future__ import annotations

from typing import Protocol

from tree_sitter import Node

from engine.analysis.shell.flow import DECODERS, DOWNLOADERS
from engine.analysis.shell.model import Command, InputText
from engine.analysis.shell.pure_commands import output
from engine.analysis.shell.values import UNKNOWN, ShellValue

REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_NO_STATEMENTS = REDIRECTS | {"comment"}
MAX_DEPTH = 20
MAX_LEVELS = 8
"""How many substitutions within substitutions are worked out."""
_NESTED = {"command_substitution", "process_substitution", "subshell", "list", "compound_statement",
           "redirected_statement"}  # fmt: skip
_PROCESS_LISTERS = {"pgrep", "ps", "pidof", "lsof", "fuser", "ss", "netstat", "top"}
_SHELL_SETUP = {
    "ssh-agent", "dircolors", "direnv", "pyenv", "rbenv", "brew", "starship", "zoxide", "nodenv", "fnm",
    "opam",
    "lesspipe", "keychain", "resize", "locale", "thefuck", "minikube", "docker-machine",
}  # fmt: skip
_Printed = tuple[str, frozenset[str]]


class Source(Protocol):
    """What builds commands and here-documents from nodes."""

    level: int
    """In how many substitutions the reading is."""

    def quiet_command(self, node: Node) -> Command | None:
        """Return the command of a node without recording anything about it."""

    def feed(self, nodes: list[Node]) -> InputText | None:
        """Return the here-document or here-string among redirections."""


def printed(source: Source, node: Node, depth: int) -> ShellValue:
    """Return the output of a substitution at `depth`."""
    if source.level > MAX_LEVELS:
        return ShellValue(UNKNOWN)
    source.level += 1
    try:
        text, taints = _run(source, node, "", depth)
    finally:
        source.level -= 1
    return ShellValue(text.rstrip("\n"), taints | {"output"})


def _run(source: Source, node: Node, given: str, depth: int) -> _Printed:
    if depth > MAX_DEPTH:
        return UNKNOWN, frozenset()
    if node.type == "command":
        return _run_command(source, node, given)
    children = [child for child in node.named_children if child.type not in _NO_STATEMENTS]
    if node.type == "pipeline":
        return _run_pipeline(source, children, given, depth)
    if node.type in _NESTED and children:
        return _run_nested(source, node, children, given, depth)
    return UNKNOWN, frozenset()


def _run_pipeline(source: Source, stages: list[Node], given: str, depth: int) -> _Printed:
    taints: frozenset[str] = frozenset()
    for stage in stages:
        given, more = _run(source, stage, given, depth + 1)
        taints |= more
    return given, taints


def _run_nested(source: Source, node: Node, children: list[Node], given: str, depth: int) -> _Printed:
    feed = source.feed([child for child in node.named_children if child.type in REDIRECTS])
    text, taints = _run(source, children[0], feed.text if feed else given, depth + 1)
    for child in children[1:]:
        taints |= _run(source, child, "", depth + 1)[1]
    first_decides = len(children) == 1 or node.type == "list"
    return (text if first_decides else UNKNOWN), taints


def _run_command(source: Source, node: Node, given: str) -> _Printed:
    command = source.quiet_command(node)
    if command is None:
        return UNKNOWN, frozenset()
    taints = {taint for arg in command.args for taint in arg.taints} | _taints_of(command)
    text = command.feed.text if command.feed else given
    return output(command.name, command.words, text), frozenset(taints)


def _taints_of(command: Command) -> set[str]:
    taints: set[str] = set()
    if command.name in DOWNLOADERS:
        taints.add("download")
    if command.name in _PROCESS_LISTERS:
        taints.add("pid")
    if command.name in _SHELL_SETUP:
        taints.add("setup")
    if command.name in DECODERS and command.name not in {"tr", "rev"}:
        decodes = any(word.startswith(("-d", "-D", "-r", "--d")) for word in command.words)
        taints.add("decoded" if decodes or command.name in {"b64decode", "gunzip", "zcat"} else "encoded")
    return taints
