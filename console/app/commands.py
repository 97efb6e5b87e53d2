"""The commands of the palette: screens, themes, and everything that has a key on this screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.command import DiscoveryHit, Hit, Hits, Provider

from console.app.screens import SCREENS
from console.theming.manager import ApplyTheme

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.dom import DOMNode
    from textual.screen import Screen

    from console.app.app import ConsoleApp

SCREEN_DESCRIPTIONS = {
    "review": "Review pending submissions: approve, reduce permissions, or deny",
    "run": "Watch runs: output and meters; pause, stop or kill",
    "explore": "Write code yourself and run it in a sandbox",
    "history": "Find what ran, who approved it, and what it did",
    "health": "Check isolation and the host, and how to fix what fails",
}
EXCLUDED = frozenset({"approve.confirm", "pre-approval.confirm"})
"""Commands that are given by their key combination only."""


def commands(app: ConsoleApp, screen: Screen[object]) -> Iterable[SystemCommand]:
    """Yield the commands that apply to `screen`."""
    for number, name in enumerate(SCREENS, start=1):
        yield SystemCommand(f"{name.title()} ({number})", SCREEN_DESCRIPTIONS[name], _go(app, name))
    for id, active in _bindings(screen).items():
        binding = active.binding
        run = _act(app, binding.action, active.node)
        yield SystemCommand(
            f"{binding.description} ({app.get_key_display(binding)})", binding.tooltip or id, run
        )
    for each in app.available_themes.values():
        yield SystemCommand(f"Theme: {each.name}", "Apply theme", ApplyTheme(app.themes, each.name))
    yield SystemCommand("Welcome", "What the console is for, and the most important keys", _welcome(app))
    yield SystemCommand("Quit", "Quit the console; runs continue", app.action_quit)


class CommandProvider(Provider):
    """Offers screens, then the keys of this screen, then themes."""

    async def discover(self) -> Hits:
        """Offer every command before anything is typed."""
        for name, words, call, _ in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(name, call, help=words)

    async def search(self, query: str) -> Hits:
        """Offer the commands that match what was typed."""
        matcher = self.matcher(query)
        for name, words, call, _ in self.app.get_system_commands(self.screen):
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), call, help=words)


def _bindings(screen: Screen[object]) -> dict[str, ActiveBinding]:
    """Return the active bindings of the screen, each once, without screens and approvals."""
    named: dict[str, ActiveBinding] = {}
    for active in screen.active_bindings.values():
        id = active.binding.id or ""
        if active.enabled and active.binding.description and id not in EXCLUDED and not id.startswith("go."):
            named.setdefault(id, active)
    named.pop("", None)
    return named


def _go(app: ConsoleApp, name: str) -> Callable[[], Awaitable[None]]:
    return lambda: app.action_go(name)


def _act(app: ConsoleApp, action: str, node: DOMNode) -> Callable[[], Awaitable[bool]]:
    return lambda: app.run_action(action, node)


def _welcome(app: ConsoleApp) -> Callable[[], object]:
    from console.help.welcome import WelcomeScreen  # noqa: PLC0415  on its first use

    return lambda: app.push_screen(WelcomeScreen())
