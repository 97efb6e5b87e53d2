"""Load the settings, and report what is wrong with them in one line."""

from __future__ import annotations

from pydantic import ValidationError

from engine import locations
from engine.common.errors import Problem
from engine.settings import Settings


def load_settings() -> Settings:
    """Return the settings.

    Raises:
        Problem: a setting is unknown or invalid.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Problem(
            422, f"settings: {where}: {first['msg']}", hint=f"Edit {locations.settings_file()}"
        ) from None
    except ValueError as error:
        raise Problem(422, f"settings: {error}", hint=f"Look at: ls -l {locations.settings_file()}") from None
