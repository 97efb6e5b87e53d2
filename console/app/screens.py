"""The five screens, each loaded when it is opened first."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.screen import Screen

SCREENS = {
    "review": "console.review.screen:ReviewScreen",
    "run": "console.run.screen:RunScreen",
    "explore": "console.explore.screen:ExploreScreen",
    "history": "console.history.screen:HistoryScreen",
    "health": "console.health.screen:HealthScreen",
}


def screen_factory(name: str) -> Callable[[], Screen[None]]:
    """Return a function that creates the screen of this name."""

    def factory() -> Screen[None]:
        module, _, kind = SCREENS[name].partition(":")
        screen: Screen[None] = getattr(importlib.import_module(module), kind)()
        return screen

    return factory
