"""The state of the engine, as the header shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from engine.models import Status

if TYPE_CHECKING:
    from textual.app import App
    from textual.message_pump import MessagePump

    from console.app.app import ConsoleApp
    from console.safety.text import Part


def console_app(node: MessagePump) -> ConsoleApp:
    """Return the app of a widget or screen as what it is."""
    return cast("ConsoleApp", node.app)


def counts(app: App[Any]) -> tuple[int, int]:
    """Return how many submissions wait for a decision, and how many run or are about to.

    What was decided here waits no longer, also while that can be undone.
    """
    console = cast("ConsoleApp", app)
    waiting = [each.id for each in console.queue if each.status is Status.PENDING]
    decided = console.decisions.is_decided if console.decisions is not None else lambda id: False
    return sum(not decided(id) for id in waiting), len(console.queue) - len(waiting)


def isolation(app: App[Any], *, wide: bool) -> list[Part]:
    """Return whether gVisor was proven, for the line on top of every screen."""
    console = cast("ConsoleApp", app)
    if console.connection_state != "connected":
        state = console.connection_state
        return [(f"◌ engine {state}" if wide else f"◌ {state}", "bold warning")]
    health = console.health
    if health is None:
        return [("◌ checking", "muted")]
    if not console.connection.knows_health:
        return [("◌ engine silent" if wide else "◌ silent", "bold warning")]
    if health.can_run:
        return [("● gVisor proven" if wide else "● gVisor", "bold success")]
    if health.proof is None:
        return [("◌ no sandbox" if wide else "◌ none", "bold warning")]
    return [("■ NOT ISOLATED", "bold reverse error")]


def policy_fault(app: App[Any], *, wide: bool) -> list[Part]:
    """Return, for the line on top, that the policy file was refused; nothing where it is in force."""
    health = cast("ConsoleApp", app).health
    if health is None or all(check.ok for check in health.checks if check.name == "policy"):
        return []
    return [("■ policy file refused" if wide else "■ policy", "bold reverse warning"), "  "]
