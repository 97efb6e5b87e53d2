"""What is wrong with a command line is said without repeating characters that steer or mislead a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer.core import TyperGroup

from engine.common.text import visible


class VisibleErrors(TyperGroup):
    """A group of commands whose errors about usage hold visible text only."""

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        """Read the command line."""
        with _made_visible():
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _made_visible():
            return super().invoke(ctx)


@contextmanager
def _made_visible() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if isinstance(message := getattr(error, "message", None), str):
            error.message = visible(message, keep="\n")  # type: ignore[attr-defined]
        raise
