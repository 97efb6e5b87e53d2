"""After a loss of power the engine starts, its history verifies, and all that was answered is there."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.faults.power.__main__ import cuts
from tests.faults.power.replay import Disk, Operation

MOMENTS = 9
HOME = "/home"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the recorder is compiled with gcc")
async def test_what_was_answered_survives_a_loss_of_power(tmp_path: Path) -> None:
    """Whatever of the unsynced names and bytes is left: nothing, all names, or some of both."""
    done = await cuts(tmp_path, MOMENTS)
    assert [] == [one for one in done if one.broken]
    assert MOMENTS == len(done)


def write(content: bytes) -> list[Operation]:
    """Return what the creation of a file records."""
    path = f"{HOME}/a"
    return [Operation("C", 1, 0, path, b""), Operation("W", 1, 0, path, content)]


SYNC = Operation("S", 1, 0, f"{HOME}/a", b"")
SYNC_FOLDER = Operation("S", 9, 0, HOME, b"")
RENAME = Operation("R", 1, 0, f"{HOME}/a", f"{HOME}/b".encode())


@pytest.mark.parametrize(
    ("operations", "kept", "left"),
    [
        (write(b"x"), "nothing", {}),
        ([*write(b"x"), SYNC], "nothing", {}),
        ([*write(b"x"), SYNC_FOLDER], "nothing", {"a": b""}),
        ([*write(b"x"), SYNC, SYNC_FOLDER], "nothing", {"a": b"x"}),
        ([*write(b"x"), SYNC, SYNC_FOLDER, RENAME], "nothing", {"a": b"x"}),
        ([*write(b"x"), RENAME], "names", {"b": b""}),
        ([*write(b"x"), SYNC, RENAME], "names", {"b": b"x"}),
        ([*write(b"x"), SYNC, SYNC_FOLDER, *write(b"y")], "nothing", {"a": b"x"}),
    ],
)
def test_the_replay_keeps_what_was_synced_alone(
    tmp_path: Path, operations: list[Operation], kept: str, left: dict[str, bytes]
) -> None:
    """A name needs a sync of its folder, and a byte one of its file."""
    disk = Disk(Path(HOME))
    for one in operations:
        disk.do(one)
    disk.lose_power(kept, random.Random(1))  # noqa: S311  no secret
    disk.write_to(tmp_path / "left")
    assert left == {path.name: path.read_bytes() for path in (tmp_path / "left").iterdir()}
