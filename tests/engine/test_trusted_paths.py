"""An engine trusts no file or folder that somebody else could have written or can replace."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import locations
from engine.common.errors import Problem
from engine.common.trusted_paths import distrust, is_of_one
from engine.trusted_files import require_trusted, trusted_check

STRANGER = 12345


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a state folder with everything in it."""
    folder = tmp_path / "above" / "home"
    folder.parent.mkdir(mode=0o700)
    monkeypatch.setenv("PRATIQUE_HOME", str(folder))
    monkeypatch.delenv("PRATIQUE_CONFIG_FILE", raising=False)
    for made in (locations.keys(), locations.inbox(), locations.agents(), locations.runtime()):
        assert made.is_dir()
    for name in (
        "settings.yaml",
        "policy.yaml",
        "tokens.json",
        "secrets.json",
        "drills.json",
        "pratique.db",
        "pratique.key",
    ):
        (folder / name).touch(mode=0o600)
    (folder / "keys" / "a.pem").touch(mode=0o600)
    return folder


def test_what_is_ones_own_is_trusted(home: Path) -> None:
    require_trusted()
    assert trusted_check().ok


def _link(path: Path) -> None:
    path.rename(path.with_name(f"{path.name}-elsewhere"))
    path.symlink_to(path.with_name(f"{path.name}-elsewhere"))


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def _foreign(path: Path) -> None:
    os.chown(path, STRANGER, -1)


def _foreign_link(path: Path) -> None:
    _link(path)
    os.chown(path, STRANGER, -1, follow_symlinks=False)


def _group(path: Path) -> None:
    path.chmod(0o770 if path.is_dir() else 0o660)


def _world(path: Path) -> None:
    path.chmod(0o777 if path.is_dir() else 0o666)


def _readable(path: Path) -> None:
    path.chmod(0o644)


NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="files are given to another user")
FOLDERS = (".", "keys", "inbox", "agents")
OPEN = ("settings.yaml", "policy.yaml")
PRIVATE = ("tokens.json", "secrets.json", "drills.json", "keys/a.pem", "pratique.key", "pratique.db")
SPOILT = [
    *((name, spoil) for name in (*FOLDERS, *OPEN, *PRIVATE) for spoil in (_link, _group, _world)),
    *((name, _fifo) for name in (*OPEN, *PRIVATE)),
    *((name, _readable) for name in PRIVATE),
    ("..", _group),
    ("..", _world),
]
GIVEN_AWAY = [
    ("..", _foreign),
    *((name, spoil) for name in (*FOLDERS, *OPEN, *PRIVATE) for spoil in (_foreign, _foreign_link)),
]


@pytest.mark.parametrize(("name", "spoil"), SPOILT)
def test_nothing_starts_from_what_others_could_write(
    home: Path, name: str, spoil: Callable[[Path], None]
) -> None:
    """The engine does not start, and both it and the doctor say what to type."""
    _is_refused(home, name, spoil)


@NEEDS_ROOT
@pytest.mark.parametrize(("name", "spoil"), GIVEN_AWAY)
def test_nothing_starts_from_what_others_own(home: Path, name: str, spoil: Callable[[Path], None]) -> None:
    """A file or folder of another user, or a link that is theirs, is not trusted."""
    _is_refused(home, name, spoil)


def _is_refused(home: Path, name: str, spoil: Callable[[Path], None]) -> None:
    spoil((home / name).resolve())
    with pytest.raises(Problem, match="nothing starts") as raised:
        require_trusted()
    assert raised.value.hint.startswith("Type: ")
    assert raised.value.hint == trusted_check().hint
    assert not trusted_check().ok


def test_a_folder_of_all_is_no_danger_where_nobody_moves_what_is_others(tmp_path: Path) -> None:
    """Below a folder with the sticky bit, such as /tmp, what is one's own is trusted, else not."""
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "mine").mkdir(mode=0o700)
    shared.chmod(0o1777)
    assert distrust(shared / "mine") is None
    shared.chmod(0o777)
    wrong = distrust(shared / "mine")
    assert wrong is not None
    assert f"chmod go-w {shared}" == wrong.command


def test_the_folders_that_a_link_leads_through_are_looked_at(tmp_path: Path) -> None:
    """Where a folder above is a link, the folders that it leads to are judged too."""
    (tmp_path / "open" / "below").mkdir(parents=True, mode=0o700)
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "way").symlink_to(tmp_path / "open" / "below")
    (tmp_path / "open" / "below" / "mine").mkdir(mode=0o700)
    assert distrust(tmp_path / "way" / "mine") is not None


ENGINE = pwd.struct_passwd(("pratique", "x", 10001, 10001, "", "/var/lib/pratique", "/bin/sh"))
OTHER = pwd.struct_passwd(("other", "x", 7, 10001, "", "/", "/bin/sh"))


@pytest.mark.parametrize(
    ("own", "group", "users"),
    [
        (True, ("pratique", "x", 10001, []), [ENGINE]),
        (True, ("pratique", "x", 10001, ["pratique"]), [ENGINE]),
        (False, ("pratique", "x", 10001, ["other"]), [ENGINE]),
        (False, ("pratique", "x", 10001, []), [ENGINE, OTHER]),
        (False, ("staff", "x", 10001, []), [ENGINE]),
        (False, ("pratique", "x", 50, []), [ENGINE]),
    ],
)
def test_a_group_of_nobody_else_is_not_others(
    own: bool, group: tuple[str, str, int, list[str]], users: list[pwd.struct_passwd]
) -> None:
    """Kubernetes lets the group of the engine write to its volume: nobody else is in it."""
    assert own == is_of_one(ENGINE, grp.struct_group(group), users)
