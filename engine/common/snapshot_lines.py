"""What a run is doing at one moment, in words: one wording for the console and the command line. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.common.effects.effect_lines import effect_line
from engine.common.line_text import WORD
from engine.common.text import many, visible
from engine.models.snapshot import OpenDescriptor, RunSnapshot, SnapshotProcess

MOST_DEPTH = 12
"""Processes that are deeper in the tree are shown at this depth."""


def headline(seen: RunSnapshot) -> str:
    """Return whether a run goes on, and what it used."""
    parts = ["paused" if seen.paused else "running", f"after {seen.at:.1f} s"]
    if seen.usage is not None:
        parts.append(f"{seen.usage.memory / 2**20:,.0f} MiB of memory")
    parts.append(f"{seen.output:,} bytes of output")
    return ", ".join(parts)


def process_tree(processes: Iterable[SnapshotProcess]) -> Iterator[tuple[int, SnapshotProcess]]:
    """Yield every process once with its depth, each after the one that started it."""
    known = {one.pid: one for one in processes}
    children: dict[int, list[SnapshotProcess]] = {}
    for one in known.values():
        parent = one.parent if one.parent in known and one.parent != one.pid else 0
        children.setdefault(parent, []).append(one)
    left = dict(known)
    for root in (*children.get(0, ()), *known.values()):
        yield from _branch(root, children, left)


def _branch(
    root: SnapshotProcess, children: dict[int, list[SnapshotProcess]], left: dict[int, SnapshotProcess]
) -> Iterator[tuple[int, SnapshotProcess]]:
    todo = [(0, root)]
    while todo:
        depth, one = todo.pop()
        if left.pop(one.pid, None) is not None:
            yield min(depth, MOST_DEPTH), one
            todo += [(depth + 1, child) for child in reversed(children.get(one.pid, ()))]


def process_line(process: SnapshotProcess) -> str:
    """Return a process in one line."""
    command = visible(process.command) or visible(process.program)
    notes = [many(process.threads, "thread") if process.threads > 1 else "",
             f"in {visible(process.folder) or 'an unknown folder'}"]  # fmt: skip
    return f"{process.pid} {command} ({', '.join(note for note in notes if note)})"


def open_line(one: OpenDescriptor) -> str:
    """Return an open file or socket in one line."""
    what = "socket " if one.socket else ""
    detail = f" ({one.detail})" if one.detail else ""
    return f"{one.number} {what}{visible(one.name) or 'without an address'}{detail}"


def stack_title(seen: RunSnapshot) -> str:
    """Return whose word the stack is, and how old."""
    return f"Stack, {WORD}, at {seen.stack_at:.1f} s"


def snapshot_lines(seen: RunSnapshot) -> Iterator[str]:
    """Yield everything that is known, line by line."""
    yield headline(seen)
    yield from _kernel_lines(seen)
    if seen.stack:
        yield stack_title(seen)
        yield from (f"  {visible(line)}" for line in seen.stack.text.splitlines())


def _kernel_lines(seen: RunSnapshot) -> Iterator[str]:
    if seen.kernel is None:
        yield f"not observed: {seen.unobserved}"
        return
    yield "Processes"
    for depth, one in process_tree(seen.kernel.processes):
        indent = "  " * (depth + 1)
        yield indent + process_line(one)
        yield from (f"{indent}    {open_line(each)}" for each in one.open)
        if one.not_named:
            yield f"{indent}    {one.not_named:,} more are open"
    if seen.kernel.not_listed:
        yield f"  {seen.kernel.not_listed:,} more processes"
    yield "Written so far"
    yield from (effect_line(one) for one in seen.kernel.written)
    yield "Last effects"
    yield from (effect_line(one) for one in seen.kernel.last)
