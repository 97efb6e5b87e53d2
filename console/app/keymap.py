"""All key bindings of the console, their groups, and checks of the user's keymap."""

from __future__ import annotations

import importlib
import pkgutil
import unicodedata
from collections.abc import Mapping

from textual.binding import Binding
from textual.keys import Keys

from console.app.screens import SCREENS

GROUPS = {
    "go": "Screens",
    "app": "Everywhere",
    "decision": "Decisions",
    "review": "Review",
    "approve": "Approve",
    "deny": "Deny",
    "changes": "Request changes",
    "revision": "Revisions",
    "unread": "Unread parts",
    "unsent": "Decisions not sent",
    "expired": "Expired submissions",
    "rehearsal": "Rehearsal",
    "pre-approval": "Pre-approvals",
    "suggestions": "Suggested rules",
    "compare": "Compare",
    "grant": "Reduce permissions",
    "run": "Run",
    "effects": "Observed effects",
    "lines": "Marked lines",
    "look": "Look",
    "output": "Output",
    "explore": "Explore",
    "find": "Find",
    "cells": "Cells",
    "request": "Permissions",
    "snippets": "Snippets",
    "open": "Open a file",
    "workspace": "Files in the sandbox",
    "table": "Tables",
    "picture": "Picture",
    "history": "History",
    "columns": "Columns",
    "respond": "Respond",
    "responses": "Responses and blocks",
    "incidents": "Incidents",
    "holds": "Holds and erasures",
    "erasures": "Erasures",
    "rescans": "Ask of the past",
    "confirm": "Confirm",
    "prompt": "Prompt",
    "case": "Case",
    "pivot": "Pivots",
    "replay": "Replay",
    "compare-runs": "Compare runs",
    "trends": "Trends",
    "health": "Health",
    "code": "Code",
    "rows": "Lists",
    "details": "Details",
    "files": "Input files",
    "artifacts": "Artifacts",
    "help": "Help",
    "jump": "Jump",
    "welcome": "Welcome",
}
"""The titles of the groups: a binding's group is the part of its id before the dot."""

VIM = {
    "rows.page-down": "pagedown,ctrl+f,ctrl+d",
    "rows.page-up": "pageup,ctrl+b,ctrl+u",
    "rows.first": "home,g",
    "rows.last": "end,G",
    "rows.open": "enter,l",
    "output.page-down": "pagedown,space,ctrl+f,ctrl+d",
    "output.page-up": "pageup,ctrl+b,ctrl+u",
    "output.top": "home,g",
    "code.page-down": "pagedown,ctrl+f,ctrl+d,space",
    "code.page-up": "pageup,ctrl+b,ctrl+u",
}
"""Additional keys of vim; j, k and G work without this, too."""

_NAMES = frozenset(each.value for each in Keys)
_PACKAGES = tuple(
    f"console.{name}"
    for name in ("review", "run", "explore", "history", "health", "help", "code_view", "tables", "widgets")
)
_APP = "console.app.app.ConsoleApp"
_PLACES = frozenset(place.replace(":", ".") for place in SCREENS.values())


def group(id: str) -> str:
    """Return the title of the group that a binding is in."""
    name = id.partition(".")[0]
    return GROUPS.get(name, name.title())


def bindings() -> dict[str, list[Binding]]:
    """Return every binding with an id that the console declares, by the class that declares it."""
    modules = ["console.app.app"]
    for package in _PACKAGES:
        folder = importlib.import_module(package).__path__
        modules += [each.name for each in pkgutil.walk_packages(folder, f"{package}.")]
    found: dict[str, list[Binding]] = {}
    for module in modules:
        for name, kind in vars(importlib.import_module(module)).items():
            if isinstance(kind, type) and kind.__module__ == module and "BINDINGS" in vars(kind):
                own = [each for each in vars(kind)["BINDINGS"] if isinstance(each, Binding) and each.id]
                found[f"{module}.{name}"] = own
    return found


def checked(keymap: Mapping[str, str], lines: Mapping[str, int]) -> tuple[dict[str, str], list[str]]:
    """Return the valid entries, and an error message with its line for each of the others."""
    declared = bindings()
    known = {each.id for own in declared.values() for each in own if each.id}
    good, faults = {}, []
    for id, keys in keymap.items():
        fault = _fault(id, keys, known) or _clash(id, keys, keymap, declared)
        if fault:
            faults.append(f"console.yaml: line {lines.get(id, 0)}: keymap: {fault}; entry ignored")
        else:
            good[id] = keys
    return good, faults


def _fault(id: str, keys: str, known: set[str]) -> str:
    if id not in known:
        near = [each for each in sorted(known) if each.partition(".")[0] == id.partition(".")[0]]
        there = f"; available: {', '.join(near)}" if near else "; press ? to list them"
        return f"unknown binding {id}{there}"
    wrong = [key for key in keys.split(",") if not is_key(key.strip())]
    return f"{id}: {wrong[0]!r} is not a key" if wrong else ""


def _clash(id: str, keys: str, keymap: Mapping[str, str], declared: Mapping[str, list[Binding]]) -> str:
    rivals = [own for place, own in declared.items() if _meets(id, place, own)]
    taken = {key.strip(): other.id for own in rivals for other in own if other.id != id
             for key in keymap.get(other.id or "", other.key).split(",")}  # fmt: skip
    clash = [key.strip() for key in keys.split(",") if key.strip() in taken]
    return f"{id}: {clash[0]} is already the key of {taken[clash[0]]}" if clash else ""


def _meets(id: str, place: str, own: list[Binding]) -> bool:
    """Say whether keys of `id` and of these bindings can conflict: those of the app work everywhere."""
    if id.partition(".")[0] in {"go", "app", "decision"}:
        return place == _APP or place in _PLACES
    return place == _APP or any(binding.id == id for binding in own)


def is_key(key: str) -> bool:
    """Say whether a terminal can send `key`: a character, a named key, or either with ctrl, alt or shift."""
    *modifiers, last = key.split("+") if key != "+" and not key.endswith("++") else [key[-1]]
    if any(each not in {"ctrl", "alt", "shift", "super"} for each in modifiers):
        return False
    return len(last) == 1 or key in _NAMES or last in _NAMES or _is_character(last)


def _is_character(name: str) -> bool:
    try:
        unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return False
    return True
