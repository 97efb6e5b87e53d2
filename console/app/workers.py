"""Starting work in the background for helpers that are not widgets."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, cast

from textual.dom import DOMNode
from textual.worker import WorkType


def run_in_background(
    node: DOMNode, work: Callable[[], Coroutine[Any, Any, None]], group: str, *, exclusive: bool = True
) -> None:
    """Run `work` until it ends or `node` is removed; an exclusive one cancels the others of its group."""
    start = cast("WorkType[None]", work)
    node.run_worker(start, group=group, exclusive=exclusive)
