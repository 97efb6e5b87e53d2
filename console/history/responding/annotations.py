"""Notes and tags on what is selected."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from textual.dom import DOMNode
from textual.screen import Screen

from console.app.state import console_app
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.prompt import PromptScreen
from console.history.responding.selection import Selection
from console.safety.text import Part
from engine.client.client import Client
from engine.common.text import many
from engine.models.incident import LONGEST, TAG

Step = Callable[[Client, str], Awaitable[None]]


async def note(node: DOMNode, selection: Selection) -> None:
    """Ask for a note, and add it to each selected submission."""
    about = f"About {selection.words}. It is recorded, and found by note:"
    text = await _screen(node).app.push_screen_wait(PromptScreen("Note", about))
    if text is None or len(text) > LONGEST:
        return
    await _each(node, selection, f"note “{text[:60]}”", lambda client, id: client.incidents.note(id, text))


async def tag(node: DOMNode, selection: Selection) -> None:
    """Ask for a tag, and add it to each selected submission; with - in front it is removed."""
    about = f"For {selection.words}: a-z 0-9 . _ -, such as incident-7. +NAME adds, -NAME removes."
    typed = await _screen(node).app.push_screen_wait(PromptScreen("Tag", about, "+"))
    if typed is None:
        return
    remove, name = typed.startswith("-"), typed.lstrip("+-")
    if not re.fullmatch(TAG, name):
        _screen(node).notify("A tag has 1 to 40 of a-z 0-9 . _ -", severity="warning")
        return
    words = f"{'remove the tag' if remove else 'tag'} {name}"
    if remove:
        await _each(node, selection, words, lambda client, id: client.incidents.untag(id, name))
    else:
        await _each(node, selection, words, lambda client, id: client.incidents.tag(id, name))


async def _each(node: DOMNode, selection: Selection, words: str, step: Step) -> None:
    """Do a step for each submission; more than one have to be confirmed."""
    screen, ids = _screen(node), selection.ids
    if len(ids) > 1:
        line: list[Part] = [words, (f"  on {many(len(ids), 'submission')}: {', '.join(ids)}", "muted")]
        if not await screen.app.push_screen_wait(ConfirmScreen("Notes and tags", [line])):
            return
    done = 0
    for id in ids:
        done += bool(await console_app(screen).connection.call(lambda client, id=id: _did(step, client, id)))  # type: ignore[misc]
    if done:
        screen.notify(f"{words}: {many(done, 'submission')}")


async def _did(step: Step, client: Client, id: str) -> bool:
    await step(client, id)
    return True


def _screen(node: DOMNode) -> Screen[object]:
    return node.screen
