"""Effects of statements on the variables and aliases of later words."""

from __future__ import annotations

from tree_sitter import Node

from engine.analysis.shell.builder import Builder
from engine.analysis.shell.flow import DOWNLOADERS
from engine.analysis.shell.model import Arg, Command
from engine.analysis.shell.pure_commands import output
from engine.analysis.shell.values import GAP, UNKNOWN, ShellValue, SourceStep, Variables


def assign(build: Builder, node: Node) -> None:
    """Remember a variable's new value."""
    target = node.child_by_field_name("name")
    if target is None or target.type != "variable_name":
        return
    name, written = build.tree.of(target), build.tree.of(node)
    value = _assigned(build, node.child_by_field_name("value"))
    if written[len(name) : len(name) + 2] == "+=":
        old = build.variables.get(name)
        value = ShellValue(
            old.text + value.text, old.taints | value.taints, old.origin + value.origin, value.items
        )
    step = SourceStep(build.tree, node.start_byte, node.end_byte)
    build.variables.set(name, ShellValue(value.text, value.taints, (*value.origin, step)[:6], value.items))
    arg = Arg(value.text, step.start, step.end, value.taints, value.origin)
    build.script.assignments.append((name, arg, step))


def _assigned(build: Builder, source: Node | None) -> ShellValue:
    if source is None:
        return ShellValue("")
    if source.type != "array":
        return build.value(source)
    items = [arg for child in source.named_children for arg in build.args(child)]
    taints = frozenset(taint for item in items for taint in item.taints)
    texts = tuple(item.text for item in items)
    return ShellValue(texts[0] if texts else "", taints, (), texts)


def bind_arguments(variables: Variables, args: tuple[Arg, ...] | None) -> None:
    """Set `$1`, `$2` … to the arguments of a call, or to nothing known."""
    for index in range(1, 10):
        arg = args[index - 1] if args and index <= len(args) else None
        value = ShellValue(arg.text, arg.taints, arg.origin) if arg else ShellValue(UNKNOWN)
        variables.set(str(index), value)
    merged_analyses = GAP.join(arg.text for arg in args) if args else UNKNOWN
    for name in ("@", "*"):
        variables.set(name, ShellValue(merged_analyses))


def follow(build: Builder, command: Command) -> None:
    """Follow what a command does to variables and aliases."""
    effect = _EFFECTS.get(command.name)
    if effect is not None:
        effect(build, command)


def _alias(build: Builder, command: Command) -> None:
    for arg in command.args:
        name, equals, body = arg.text.partition("=")
        if equals:
            build.aliases[name] = body


def _read(build: Builder, command: Command) -> None:
    taints = {"input"}
    if any(other.name in DOWNLOADERS for other in command.upstream):
        taints.add("download")
    for arg in command.operands:
        if arg.text.isidentifier():
            build.variables.set(arg.text, ShellValue(UNKNOWN, frozenset(taints)))


def _printf(build: Builder, command: Command) -> None:
    if command.words[:1] == ["-v"] and len(command.args) > 2:
        build.variables.set(command.words[1], ShellValue(output("printf", command.words[2:], "")))


def _unset(build: Builder, command: Command) -> None:
    for arg in command.args:
        build.variables.unset(arg.text)


def _set(build: Builder, command: Command) -> None:
    if "--" in command.words:
        bind_arguments(build.variables, command.args[command.words.index("--") + 1 :])


_EFFECTS = {
    "alias": _alias, "read": _read, "mapfile": _read, "readarray": _read, "printf": _printf, "unset": _unset,
    "set": _set,
}  # fmt: skip
