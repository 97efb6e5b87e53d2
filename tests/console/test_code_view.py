"""The code under review as it is on the screen."""

from __future__ import annotations

import re

import pytest

from console.widgets.code_view import CodeView
from tests.console.desk import desk, quiet, until
from tests.console.stand_in import StandIn, case
from tests.console.test_hostile_frames import plain

LETTERS = "ABCDEFGHIJ" * 50


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_character_of_a_wrapped_line_is_on_the_screen(size: tuple[int, int]) -> None:
    """No column lies under a scroll bar or past the edge."""
    async with desk(StandIn(case("s-1", "\n" + LETTERS + "\n" * 200)), size) as (app, pilot):
        view = app.screen.query_one(CodeView)
        await until(pilot, lambda: view.line_count > 100)
        await quiet(pilot, "z")
        await until(pilot, lambda: LETTERS == "".join(re.findall(r"[A-J]{6,}", plain(app))))
