"""Pipelines: which command reads the output of which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tree_sitter import Node

from engine.analysis.shell.model import Command


@dataclass(slots=True)
class Pipe:
    """A pipeline that is being read: the commands of the stage before, and of this one."""

    previous: list[Command] = field(default_factory=list)
    current: list[Command] = field(default_factory=list)
    last: bool = False


def stages_of(pipeline: Node) -> list[Node]:
    """Return the stages of a pipeline."""
    return [child for child in pipeline.named_children if child.type != "comment"]


def entered(pipe: Pipe, *, last: bool) -> Callable[[], None]:
    """Return the step that enters the next stage of a pipeline."""

    def enter() -> None:
        pipe.previous, pipe.current, pipe.last = pipe.current, [], last

    return enter
