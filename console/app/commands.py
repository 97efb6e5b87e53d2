"""What the command palette offers: every place, every theme, and every key that works on the screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider

from console.app.screens import SCREENS
from console.theming.manager import ApplyTheme

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.dom import DOMNode
    from textual.screen import Screen

    from console.app.app import ConsoleApp

SCREEN_DESCRIPTIONS = {
    "review": "Go and read what waits: approve, give less, or deny",
    "run": "Go and watch what runs: output, meters; stop, kill, hold",
    "explore": "Go and write something yourself, and run it in a sandbox",
    "history": "Go and find what ran, who let it, and what it did",
    "health": "Go and see whether gVisor is proven, and what to mend",
}
NEVER = frozenset({"approve.confirm", "pre-approval.confirm"})
"""An approval is given by its chord alone."""


def commands(app: ConsoleApp, screen: Screen[object]) -> Iterable[SystemCommand]:
    """Yield the commands that make sense over `screen`."""
    for number, name in enumerate(SCREENS, start=1):
        yield SystemCommand(f"{name.title()} ({number})", SCREEN_DESCRIPTIONS[name], _going(app, name))
    for id, active in _named(screen).items():
        binding = active.binding
        run = _acting(app, binding.action, active.node)
        yield SystemCommand(
            f"{binding.description} ({app.get_key_display(binding)})", binding.tooltip or id, run
        )
    for each in app.available_themes.values():
        yield SystemCommand(
            f"Theme: {each.name}", "Wear it; kept for the next time", ApplyTheme(app, each.name)
        )
    yield SystemCommand("Tour", "What the desk is for, and the keys to know", _touring(app))
    yield SystemCommand("Quit", "Leave the console; runs go on", app.action_quit)


class Commands(Provider):
    """Offers the commands in their own order: the places, what works here, themes."""

    async def discover(self) -> Hits:
        """Offer everything before anything is typed."""
        for name, words, call, _ in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(name, call, help=words)

    async def search(self, query: str) -> Hits:
        """Offer what fits to what was typed."""
        matcher = self.matcher(query)
        for name, words, call, _ in self.app.get_system_commands(self.screen):
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), call, help=words)


def leaving(app: ConsoleApp) -> bool:
    """Say whether a palette is on its way out; one that stopped on the way is taken out."""
    if isinstance(app.screen, CommandPalette):
        return False
    left = [each for each in app._nodes if isinstance(each, CommandPalette)]  # noqa: SLF001  no public list
    for each in left:
        if not each.is_running:
            app._nodes._remove(each)  # noqa: SLF001  as Textual does itself
    return any(each.is_running for each in left)


def _named(screen: Screen[object]) -> dict[str, ActiveBinding]:
    """Return the bindings that work on the screen, each once, without places and what only a chord does."""
    named: dict[str, ActiveBinding] = {}
    for active in screen.active_bindings.values():
        id = active.binding.id or ""
        if active.enabled and active.binding.description and id not in NEVER and not id.startswith("go."):
            named.setdefault(id, active)
    named.pop("", None)
    return named


def _going(app: ConsoleApp, place: str) -> Callable[[], Awaitable[None]]:
    return lambda: app.action_go(place)


def _acting(app: ConsoleApp, action: str, node: DOMNode) -> Callable[[], Awaitable[bool]]:
    return lambda: app.run_action(action, node)


def _touring(app: ConsoleApp) -> Callable[[], object]:
    from console.help.welcome import WelcomeScreen  # noqa: PLC0415  on its first use

    return lambda: app.push_screen(WelcomeScreen())
