"""The upgrade of a history of any released format may be interrupted at any moment: it goes on, intact."""

from __future__ import annotations

import copy
import random
import shutil
from pathlib import Path

import pytest

from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.settings import HistorySettings
from tests.engine.history.make_fixture import FOLDER, fixture_cases
from tests.faults.power.__main__ import record
from tests.faults.power.replay import Disk

RELEASED = sorted(FOLDER.iterdir())
KEPT = ("all", "nothing", "some")
"""A process that is killed keeps all that it wrote; a loss of power does not."""
MOMENTS = 15
OPEN = """
import asyncio, sys
from pathlib import Path
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.settings import HistorySettings
async def main():
    await (await SqliteHistoryStore.open(Path(sys.argv[1]) / "pratique.db", HistorySettings())).close()
asyncio.run(main())
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the recorder is compiled with gcc")
@pytest.mark.parametrize("released", RELEASED, ids=lambda folder: folder.name)
async def test_an_interrupted_upgrade_goes_on_intact(released: Path, tmp_path: Path) -> None:
    """Killed or without power at moments of the whole upgrade: the next engine has every case, intact."""
    home = tmp_path / "home"
    shutil.copytree(released, home)
    before = Disk(home)
    before.hold()
    operations = record(tmp_path, home, "-c", OPEN, str(home))
    for number in range(MOMENTS):
        at = number * len(operations) // (MOMENTS - 1)
        disk = copy.deepcopy(before)
        for one in operations[:at]:
            disk.do(one)
        disk.lose_power(KEPT[number % len(KEPT)], random.Random(at))  # noqa: S311  no secret
        disk.write_to(tmp_path / f"left-{number}")
        await _require_whole(tmp_path / f"left-{number}")


async def _require_whole(home: Path) -> None:
    store = await SqliteHistoryStore.open(home / "pratique.db", HistorySettings())
    try:
        for case in fixture_cases():
            assert case == await store.read.case(case.submission.id)
        assert "" == (await store.verify()).problem
    finally:
        await store.close()
