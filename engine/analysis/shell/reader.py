"""Builds a Script from the tree: statements in execution order, functions when they are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from tree_sitter import Node

from engine.analysis.shell.assignments import assign, bind_arguments, follow
from engine.analysis.shell.builder import Builder
from engine.analysis.shell.grammar import parse
from engine.analysis.shell.model import Arg, Command, InputText, Loop, Redirect, Script
from engine.analysis.shell.pipes import Pipe, entered, stages_of
from engine.analysis.shell.values import ShellValue
from engine.analysis.syntax import MAX_NODES, walk
from engine.settings import AnalysisSettings

MAX_CALLS = 3
"""How many different calls of one function are followed."""
MAX_TURNS = 4
"""How many values of a loop's variable are followed."""
MAX_NESTED = 2
"""In how many loops within loops more than one value is followed."""
MAX_FED = 50
"""How many commands of a compound command are taken to read its input."""
_Step = Node | Callable[[], None]


def read(source: str, settings: AnalysisSettings, depth: int) -> Script:
    """Return what is known of the script in `source`."""
    tree, whole = parse(source)
    reader = ScriptReader(Script(tree, settings, depth, cut=not whole))
    script = reader.read()
    reader.build.release()
    return script


def _may_nest(text: str) -> bool:
    """Return whether a text has what every substitution and every here-document has in it."""
    return "(" in text or "`" in text or "<<" in text


class ScriptReader:
    """Walks statements with a stack of its own, so that no nesting overflows."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.build = Builder(script)
        self._stack: list[_Step] = []
        self._loops = 0
        self._pipes: list[Pipe] = []
        self._outer: list[tuple[Redirect, ...]] = []
        self._bodies: dict[str, Node] = {}
        self._calls: list[tuple[str, tuple[Arg, ...]]] = []
        self._called: dict[str, int] = {}

    def read(self) -> Script:
        """Visit everything and return the script."""
        self._stack.append(self.script.tree.root)
        for _ in range(MAX_NODES):
            if not self._stack and not self._next_function():
                return self.script
            step = self._stack.pop()
            if isinstance(step, Node):
                self._VISITORS.get(step.type, ScriptReader._descend)(self, step)
            else:
                step()
        self.script.cut = True
        return self.script

    def _descend(self, node: Node) -> None:
        if node.child_count:
            self._stack.extend([child for child in reversed(node.named_children) if child.child_count])

    # --- functions: read when called, with the arguments of the call ------------------------------

    def _function(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None or body is None:
            return self._descend(node)
        text = self.script.tree.of(name)
        self._bodies[text] = body
        self.script.functions[text] = (body.start_byte, body.end_byte)
        return None

    def _next_function(self) -> bool:
        while self._calls:
            name, args = self._calls.pop(0)
            if self._enter(name, args):
                return True
        return any(self._enter(name, None) for name in list(self._bodies) if name not in self._called)

    def _enter(self, name: str, args: tuple[Arg, ...] | None) -> bool:
        count = self._called.get(name, 0)
        if name not in self._bodies or count >= MAX_CALLS:
            return False
        self._called[name] = count + 1
        bind_arguments(self.build.variables, args)
        self._stack.append(self._bodies[name])
        return True

    # --- statements -------------------------------------------------------------------------------

    def _command(self, node: Node) -> None:
        self._add(self.build.commands(node, self._inherited()))
        if _may_nest(self.script.tree.of(node)):
            self._stack.extend([self._within(child) for child in reversed(node.named_children)])

    def _within(self, word: Node) -> _Step:
        """Return the step that looks into a word of a command, where an assignment holds for it alone."""
        return partial(self._descend_words, word) if word.type == "variable_assignment" else word

    def _declaration(self, node: Node) -> None:
        self._add([self.build.declaration(node, self._inherited())])
        self._descend(node)

    def _descend_words(self, node: Node) -> None:
        """Look into the words of a command for commands of their own."""
        if _may_nest(self.script.tree.of(node)):
            self._descend(node)

    def _assignment(self, node: Node) -> None:
        assign(self.build, node)
        self._descend_words(node)

    def _inherited(self) -> tuple[Redirect, ...]:
        return tuple(redirect for group in self._outer for redirect in group) if self._outer else ()

    def _add(self, commands: list[Command]) -> None:
        for command in commands:
            self.script.commands.append(command)
            if self._pipes:
                self._join(command)
            if command.name in self._bodies or command.name in self.build.functions:
                command.own = command.name in self.build.functions
                self._calls.append((command.name, command.args))
            follow(self.build, command)

    def _join(self, command: Command) -> None:
        """Say of a command what is piped into it, and add it to the pipelines that it is part of."""
        command.upstream = next((tuple(p.previous) for p in reversed(self._pipes) if p.previous), ())
        command.piped = any(not pipe.last for pipe in self._pipes)
        for pipe in self._pipes:
            pipe.current.append(command)

    def _pipeline(self, node: Node) -> None:
        self._run_pipe(stages_of(node))

    def _run_pipe(self, stages: list[Node], redirects: tuple[Redirect, ...] = ()) -> None:
        """Visit the stages of a pipeline; redirections behind it belong to its last stage."""
        pipe = Pipe()
        steps: list[_Step] = [lambda: self._pipes.append(pipe)]
        for index, stage in enumerate(stages):
            if redirects and index == len(stages) - 1:
                steps.append(lambda: self._outer.append(redirects))
            steps += [entered(pipe, last=index == len(stages) - 1), stage]
        if redirects:
            steps.append(self._leave_redirects)
        steps.append(self._leave_pipe)
        self._stack.extend(reversed(steps))

    def _leave_pipe(self) -> None:
        self._pipes.pop()

    def _redirected(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        parts = node.children_by_field_name("redirect")
        redirects = self.build.redirects(parts)
        self.script.redirects.extend(redirects)
        feed = self.build.feed(parts)
        if body is not None and body.type == "pipeline":
            stages = stages_of(body)
            if feed is not None:
                self.build.feeds[stages[-1].start_byte, stages[-1].end_byte] = feed
            self._stack.extend(reversed(parts))
            self._run_pipe(stages, redirects)
            return
        if body is not None and feed is not None:
            self._feed(body, feed)
        steps: list[_Step] = [lambda: self._outer.append(redirects)]
        steps += [body] if body is not None else []
        steps += [self._leave_redirects, *parts]
        self._stack.extend(reversed(steps))
        self._piped_heredoc(body, parts)

    def _feed(self, body: Node, feed: InputText) -> None:
        """Note what a command reads, or whichever commands of a compound command read it."""
        commands = (
            [body] if body.type == "command" else [node for node in walk(body) if node.type == "command"]
        )
        for node in [body, *commands[:MAX_FED]]:
            self.build.feeds.setdefault((node.start_byte, node.end_byte), feed)

    def _piped_heredoc(self, body: Node | None, parts: list[Node]) -> None:
        """Join `cat <<EOF | sh`, which the grammar nests inside the here-document, to one pipeline."""
        for part in parts:
            for child in part.named_children if part.type == "heredoc_redirect" else ():
                if child.type == "pipeline" and body is not None:
                    del self._stack[-3 - len(parts) :]
                    self._stack.extend(other for other in reversed(parts) if other is not part)
                    self._run_pipe([body, *stages_of(child)])
                    return

    def _leave_redirects(self) -> None:
        self._outer.pop()

    def _for(self, node: Node) -> None:
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        if variable is None or body is None:
            return self._descend(node)
        name = self.script.tree.of(variable)
        values = self.build.loop_values(node.children_by_field_name("value"))
        steps: list[_Step] = list(node.children_by_field_name("value"))
        turns = MAX_TURNS if self._loops < MAX_NESTED else 1
        steps.append(self._enter_loop)
        for value in values[:turns]:
            steps += [self._bind(name, value), body]
        steps.append(self._leave_loop)
        self._stack.extend(reversed(steps))
        return None

    def _enter_loop(self) -> None:
        self._loops += 1

    def _leave_loop(self) -> None:
        self._loops -= 1

    def _bind(self, name: str, value: ShellValue) -> Callable[[], None]:
        return lambda: self.build.variables.set(name, value)

    def _while(self, node: Node) -> None:
        tree, body = self.script.tree, node.child_by_field_name("body")
        if body is not None:
            head = tree.slice(node.start_byte, body.start_byte).strip()
            self.script.loops.append(Loop(head, tree.span(node), node.start_byte, node.end_byte))
        self._descend(node)

    _VISITORS: ClassVar[dict[str, Callable[[ScriptReader, Node], None]]] = {
        "command": _command,
        "declaration_command": _declaration,
        "unset_command": _declaration,
        "variable_assignment": _assignment,
        "pipeline": _pipeline,
        "redirected_statement": _redirected,
        "function_definition": _function,
        "for_statement": _for,
        "while_statement": _while,
        "c_style_for_statement": _while,
    }
