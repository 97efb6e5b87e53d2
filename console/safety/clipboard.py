"""Copies text to the terminal's clipboard: only what the user asked for, and only the console's own text."""

from __future__ import annotations

from typing import Any

from textual.app import App

from engine.models import Case


def copy_id(app: App[Any], case: Case) -> None:
    """Copy the id of a submission, which every command and the search take."""
    app.copy_to_clipboard(case.submission.id)
    app.notify(f"{case.submission.id} is copied.")
