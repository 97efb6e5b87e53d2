"""Sharing a search with all responders, or sharing it no longer."""

from __future__ import annotations

import re

from textual.screen import Screen

from console.app.state import console_app
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.prompt import PromptScreen
from console.safety.text import Part
from engine.models.shared_query import QUERY_NAME


async def share(screen: Screen[None], search: str) -> None:
    """Ask for a name, and share a search; where it is shared, ask whether to share it no longer."""
    call = console_app(screen).connection.call
    shared = await call(lambda client: client.shared_queries.list()) or ()
    known = next((one for one in shared if one.query.text == search), None)
    if known is not None:
        steps: list[list[Part]] = [["share no longer: ", (known.name, "bold"), "  ", known.query]]
        if await screen.app.push_screen_wait(ConfirmScreen("Shared searches", steps)):
            await call(lambda client: client.shared_queries.remove(known.name))
        return
    name = await screen.app.push_screen_wait(PromptScreen("Share as", f"{search}   Name: a-z 0-9 . _ -"))
    if name is None:
        return
    if not re.fullmatch(QUERY_NAME, name):
        screen.notify("A name has 1 to 40 of a-z 0-9 . _ -", severity="warning")
    elif await call(lambda client: client.shared_queries.share(name, search)):
        screen.notify(f"Shared as {name}; f lists it")
