"""Builds commands, assignments and redirections from nodes, with the variables known so far."""

from __future__ import annotations

import re

from tree_sitter import Node

from engine.analysis.shell.expansion import fields
from engine.analysis.shell.grammar import background
from engine.analysis.shell.model import Arg, Command, InputText, Redirect, Script
from engine.analysis.shell.substitution import REDIRECTS, printed
from engine.analysis.shell.values import UNKNOWN, ShellValue, SourceStep, Variables, bare
from engine.analysis.shell.words import WordEvaluator
from engine.analysis.shell.wrappers import assigned, basename, unwrap
from engine.analysis.shell.wrappers.carried import carried

_NO_WORDS = REDIRECTS | {"variable_assignment", "comment"}
_plain = re.compile(r"[\w./:=+@%-]+").fullmatch
"""Matches a word in which nothing is quoted, escaped or expanded."""
_quoted = re.compile(r'"[^"\\$`]*"').fullmatch
"""Matches a text in which nothing is escaped or expanded."""

_DEFINES = re.compile(r"\(\s*\)|\bfunction\b")
_NO_TAINTS: frozenset[str] = frozenset()


def _literal(start: int, raw: str, marked: str, text: str) -> tuple[int, bool]:
    """Return where a text begins whose word begins at `start`, and whether the source has it unchanged."""
    if raw == text:
        return start, True
    if raw[1:-1] == marked and raw[:1] in {"'", '"'}:
        return start + 1, True
    return start, False


class Builder:
    """Turns nodes of one script into the classes of the model."""

    def __init__(self, script: Script) -> None:
        self.tree = script.tree
        self.variables = Variables()
        self._words = WordEvaluator(self.tree, self.variables, self._substitute)
        self.script = script
        self.level = 0
        self.aliases: dict[str, str] = {}
        self.feeds: dict[tuple[int, int], InputText] = {}
        self.functions = self._function_names()
        self._background = background(script.tree)

    def release(self) -> None:
        """Break the cycle with the evaluator of words, so that everything is freed at once."""
        del self._words

    def _function_names(self) -> set[str]:
        """Return the names of functions that wrap the program of the same name."""
        if not _DEFINES.search(self.tree.text):
            return set()
        names: set[str] = set()
        for node in self.script.nodes("function_definition"):
            name = self.tree.of(node.child_by_field_name("name") or node)
            body = node.child_by_field_name("body")
            if body is None or name not in self.tree.of(body).replace("/", " ").split():
                names.add(name)
        return names

    # --- words ------------------------------------------------------------------------------------

    def _substitute(self, node: Node, depth: int) -> ShellValue:
        return printed(self, node, depth)

    def value(self, node: Node) -> ShellValue:
        """Return what a word holds, as one text."""
        raw = self.tree.of(node)
        if _plain(raw):
            return ShellValue(raw)
        value = self._words.marked(node)
        return ShellValue(bare(value.text), value.taints, value.origin)

    def args(self, node: Node) -> list[Arg]:
        """Return the fields that a word becomes."""
        start, end = node.start_byte, node.end_byte
        raw = self.tree.slice(start, end)
        if _plain(raw):
            return [Arg(raw, start, end, _NO_TAINTS, (), True)]
        if _quoted(raw):
            return [Arg(raw[1:-1], start + 1, end, _NO_TAINTS, (), True)]
        value = self._words.marked(node)
        texts = fields(value.text)
        if len(texts) == 1:
            text = bare(texts[0])
            first, literal = _literal(start, raw, texts[0], text)
            return [Arg(text, first, end, value.taints, value.origin, literal)]
        return [Arg(bare(text), start, end, value.taints, value.origin) for text in texts]

    def loop_values(self, nodes: list[Node]) -> list[ShellValue]:
        """Return what a `for` variable becomes, one value for each turn."""
        values: list[ShellValue] = []
        for node in nodes:
            values += [ShellValue(arg.text, arg.taints, arg.origin) for arg in self.args(node)]
        return values or [ShellValue(UNKNOWN)]

    # --- commands ---------------------------------------------------------------------------------

    def commands(self, node: Node, inherited: tuple[Redirect, ...]) -> list[Command]:
        """Return the command of a node, and those that it carries, as `find -exec` does."""
        fields: list[Arg] = []
        parts: list[Node] = []
        prefix: list[Node] = []
        for child in node.named_children:
            kind = child.type
            if kind not in _NO_WORDS:
                fields += self.args(child)
            elif kind == "variable_assignment":
                prefix.append(child)
            elif kind in REDIRECTS:
                parts.append(child)
        if not fields:
            return []
        command = self.command(node, self._dealiased(fields) if self.aliases else fields)
        own = self.redirects(parts) if parts else ()
        self.script.redirects.extend(own)
        place = (command.start, command.end)
        command.redirects = own + inherited
        command.feed = (self.feed(parts) if parts else None) or self.feeds.get(place)
        if prefix:
            command.assigned += self._prefix(prefix)
        command.background = place in self._background
        return [command, *carried(command)]

    def command(self, node: Node, fields: list[Arg]) -> Command:
        """Return a command made of fields."""
        wrappers, rest = unwrap(fields)
        name = basename(rest[0].text) if rest[0].known else self._own_shell(rest)
        command = Command(name, rest[0], tuple(rest[1:]), self.tree, node.start_byte, node.end_byte, wrappers)
        if wrappers:
            command.assigned = assigned(fields[: len(fields) - len(rest)])
        return command

    def _own_shell(self, fields: list[Arg]) -> str:
        """Return the shell for `$0 -c …`, which starts the shell that reads the script; else unknown."""
        raw = self.tree.slice(fields[0].start, fields[0].end).strip('"')
        runs = len(fields) > 2 and fields[1].text.startswith("-") and fields[1].text.endswith("c")
        return "bash" if runs and raw in {"$0", "${0}"} else UNKNOWN

    def quiet_command(self, node: Node) -> Command | None:
        """Return the command of a node without recording anything about it."""
        words = [child for child in node.named_children if child.type not in _NO_WORDS]
        fields = [arg for child in words for arg in self.args(child)]
        if not fields:
            return None
        command = self.command(node, self._dealiased(fields))
        command.feed = self.feed([child for child in node.named_children if child.type in REDIRECTS])
        return command

    def _dealiased(self, fields: list[Arg]) -> list[Arg]:
        body = self.aliases.get(fields[0].text)
        if body is None or not body.split():
            return fields
        head = [Arg(word, fields[0].start, fields[0].end) for word in body.split()]
        return head + fields[1:]

    def _prefix(self, assignments: list[Node]) -> tuple[tuple[str, str], ...]:
        pairs = []
        for child in assignments:
            name, _, _ = self.tree.of(child).partition("=")
            value = child.child_by_field_name("value")
            pairs.append((name, self.value(value).text if value is not None else ""))
        return tuple(pairs)

    def declaration(self, node: Node, inherited: tuple[Redirect, ...]) -> Command:
        """Return `export`, `declare`, `unset` … as a command with its words as written."""
        keyword = node.children[0]
        program = Arg(self.tree.of(keyword), keyword.start_byte, keyword.end_byte, literal=True)
        args: list[Arg] = []
        for child in node.named_children:
            if child.type == "variable_assignment":
                name, _, _ = self.tree.of(child).partition("=")
                value = child.child_by_field_name("value")
                text = self.value(value).text if value is not None else ""
                args.append(Arg(f"{name}={text}", child.start_byte, child.end_byte))
            elif child.type not in REDIRECTS:
                args += self.args(child)
        command = Command(program.text, program, tuple(args), self.tree, node.start_byte, node.end_byte)
        command.redirects = inherited
        return command

    # --- redirections -----------------------------------------------------------------------------

    def redirects(self, nodes: list[Node]) -> tuple[Redirect, ...]:
        """Return the file redirections among `nodes`, those inside here-documents included."""
        found: list[Redirect] = []
        for node in nodes:
            if node.type == "heredoc_redirect":
                found += self.redirects(node.named_children)
            if node.type != "file_redirect":
                continue
            target = node.child_by_field_name("destination")
            if target is None:
                continue
            operator = self._operator(node, target)
            if operator.endswith("<<<"):
                continue
            arg = next(iter(self.args(target)), None)
            if arg is not None:
                found.append(Redirect(operator, arg, SourceStep(self.tree, node.start_byte, node.end_byte)))
        return tuple(found)

    def feed(self, nodes: list[Node]) -> InputText | None:
        """Return the here-document or here-string among redirections."""
        for node in nodes:
            if node.named_children and self._is_here_string(node):
                word = node.named_children[-1]
                value = self.value(word)
                start, literal = _literal(word.start_byte, self.tree.of(word), value.text, bare(value.text))
                return InputText(value.text, start, word.end_byte, value.taints, literal)
            if node.type == "heredoc_redirect":
                return self._heredoc(node)
        return None

    def _operator(self, node: Node, target: Node) -> str:
        return self.tree.slice(node.start_byte, target.start_byte).strip()

    def _is_here_string(self, node: Node) -> bool:
        """Return whether a redirection is one: after a compound command the grammar takes it for a file's."""
        if node.type != "file_redirect":
            return node.type == "herestring_redirect"
        return self._operator(node, node.named_children[-1]).endswith("<<<")

    def _heredoc(self, node: Node) -> InputText | None:
        parts = {child.type: child for child in node.named_children}
        body, start = parts.get("heredoc_body"), parts.get("heredoc_start")
        if body is None or start is None:
            return None
        raw = self.tree.of(body)
        if self.tree.of(start)[:1] in {"'", '"', "\\"} or not body.named_children:
            return InputText(raw, body.start_byte, body.end_byte, literal=True)
        value = self.value(body)
        return InputText(value.text, body.start_byte, body.end_byte, value.taints, value.text == raw)
