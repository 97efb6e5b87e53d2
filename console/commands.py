"""What the command palette offers: every place, every theme, and every key that works on the screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from console.app import PLACES
from console.dressing import Dress

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.screen import Screen

    from console.app import ConsoleApp

NEVER = frozenset({"approve.confirm", "stand.confirm"})
"""An approval is given by its chord alone."""


def commands(app: ConsoleApp, screen: Screen[object]) -> Iterable[SystemCommand]:
    """Yield the commands that make sense over `screen`."""
    for name in PLACES:
        yield SystemCommand(f"Go to {name.title()}", "One of the five places", _going(app, name))
    for each in app.available_themes.values():
        yield SystemCommand(f"Theme: {each.name}", "Wear it; kept for the next time", Dress(app, each.name))
    for key, active in screen.active_bindings.items():
        binding = active.binding
        named = binding.id and not binding.id.startswith("go.") and binding.id not in NEVER
        if active.enabled and named and binding.description:
            run = _acting(app, binding.action, active.node)
            yield SystemCommand(f"{binding.description} ({key})", binding.tooltip, run)
    yield SystemCommand("Tour", "What the desk is for, and the keys to know", _touring(app))
    yield SystemCommand("Quit", "Leave the console; runs go on", app.action_quit)


def _going(app: ConsoleApp, place: str) -> Callable[[], Awaitable[None]]:
    return lambda: app.action_go(place)


def _acting(app: ConsoleApp, action: str, node: DOMNode) -> Callable[[], Awaitable[bool]]:
    return lambda: app.run_action(action, node)


def _touring(app: ConsoleApp) -> Callable[[], object]:
    from console.screens.tour import TourScreen  # noqa: PLC0415  on its first use

    return lambda: app.push_screen(TourScreen())
