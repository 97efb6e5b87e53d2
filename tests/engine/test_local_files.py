"""Files that people name: nothing is waited for, followed, replaced or left open to others by accident."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from console.explore import file_watch, request_fields
from engine.cli.output.history_export import save
from engine.common.errors import Problem
from engine.common.file_faults import PolicyError
from engine.common.local_files import new_file, private_folder, read_file, write_private
from engine.common.strict_yaml import read as read_yaml

MOST = 1000


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 20 << 30)


def _folder(path: Path) -> None:
    path.mkdir()


def _nowhere(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _long(path: Path) -> None:
    path.write_bytes(b"x" * (1 << 26))


def _to_fifo(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to(path.with_name("pipe"))


def _endless(path: Path) -> None:
    path.symlink_to("/proc/self/mem")


KINDS = [_fifo, _device, _socket, _sparse, _folder, _nowhere, _loop, _long, _to_fifo, _endless]
READERS: dict[str, Callable[[Path], object]] = {
    "read": lambda path: read_file(path, MOST),
    "explore": file_watch.read,
    "explore's input files": lambda path: request_fields.read((str(path),)),
    "policy": read_yaml,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_only_regular_files_within_bounds_are_read(
    kind: Callable[[Path], None], reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipes, devices, sockets, folders, endless and huge files are refused at once, with a reason."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "named.yaml"
    kind(path)
    with pytest.raises((OSError, ValueError, PolicyError)) as raised:
        READERS[reader](path)
    assert str(raised.value)


def test_explore_follows_no_link(tmp_path: Path) -> None:
    """A file that becomes a link to another one is not read."""
    (tmp_path / "secret").write_text("key")
    (tmp_path / "a.py").symlink_to(tmp_path / "secret")
    with pytest.raises(ValueError, match="symbolic link"):
        file_watch.read(tmp_path / "a.py")
    with pytest.raises(ValueError, match="symbolic link"):
        request_fields.read((str(tmp_path / "a.py"),))


def _file(path: Path) -> None:
    path.write_text("mine")


@pytest.mark.parametrize("kind", [*KINDS, _file])
def test_an_export_replaces_and_follows_nothing(
    kind: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What already has the name of an export stays as it is, and so does what it leads to."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "out"
    kind(path)
    before = [(one.name, one.lstat()) for one in sorted(tmp_path.iterdir())]
    with pytest.raises(Problem, match="exists already"):
        save(path, [b"x"])
    assert before == [(one.name, one.lstat()) for one in sorted(tmp_path.iterdir())]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_what_is_made_is_private(umask: int, tmp_path: Path) -> None:
    """Files are 0600 and folders 0700, whatever the umask."""
    before = os.umask(umask)
    try:
        new_file(tmp_path / "one").close()
        write_private(tmp_path / "a" / "b" / "two", b"x")
        private_folder(tmp_path / "c" / "d")
    finally:
        os.umask(before)
    modes = {
        str(path.relative_to(tmp_path)): stat.S_IMODE(path.lstat().st_mode) for path in tmp_path.rglob("*")
    }
    assert {"one": 0o600, "a": 0o700, "a/b": 0o700, "a/b/two": 0o600, "c": 0o700, "c/d": 0o700} == modes
