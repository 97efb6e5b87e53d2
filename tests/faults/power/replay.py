"""What a disk holds after a loss of power: what was synced for certain, and of the rest what chance left.

Strict: neither a name nor a byte is there before its folder or its file was synced.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

_HEAD = struct.Struct("<5Q")


class Operation(NamedTuple):
    """One record of `recorder.c`."""

    kind: str
    inode: int
    offset: int
    path: str
    data: bytes


@dataclass(eq=False)
class File:
    """A file: what is on disk, and what was written since."""

    content: bytearray = field(default_factory=bytearray)
    unsynced: list[Operation] = field(default_factory=list)

    def sync(self, chosen: list[Operation] | None = None) -> None:
        """Put what was written on disk: all of it, or what was chosen."""
        for one in self.unsynced if chosen is None else chosen:
            _apply(self.content, one)
        self.unsynced.clear()


@dataclass(eq=False)
class Folder:
    """The names in a folder: those on disk, and the changes since."""

    names: dict[str, File | None] = field(default_factory=dict)
    """None stands for a folder."""
    unsynced: list[tuple[str, File | None, bool]] = field(default_factory=list)
    """Name, what it stands for, and whether it is there from then on."""

    def sync(self, count: int | None = None) -> None:
        """Put changes on disk: all of them, or the first few."""
        for name, target, there in self.unsynced[:count]:
            if there:
                self.names[name] = target
            else:
                self.names.pop(name, None)
        self.unsynced.clear()


def _apply(content: bytearray, one: Operation) -> None:
    if one.kind == "T":
        del content[one.offset :]
        content.extend(bytes(one.offset - len(content)))
        return
    content.extend(bytes(max(0, one.offset - len(content))))
    content[one.offset : one.offset + len(one.data)] = one.data


def read(log: Path) -> list[Operation]:
    """Return what was recorded."""
    data, at, found = log.read_bytes(), 0, []
    while at < len(data):
        kind, inode, offset, path_size, data_size = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        path = data[at : at + path_size].decode()
        at += path_size
        found.append(Operation(chr(kind), inode, offset, path, data[at : at + data_size]))
        at += data_size
    return found


class Disk:
    """The disk below a folder, as operations change it."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._folders: dict[str, Folder] = {str(home): Folder()}
        self._files: dict[int, File] = {}

    def hold(self) -> None:
        """Take over the files that are in the folder now, as synced."""
        for path in self._home.iterdir():
            file = self._files[path.stat().st_ino] = File(bytearray(path.read_bytes()))
            self._folders[str(self._home)].names[path.name] = file

    def do(self, one: Operation) -> None:
        """Take in one operation."""
        match one.kind:
            case "C":
                self._files[one.inode] = File()
                self._name(one.path, self._files[one.inode])
            case "M":
                self._folders[one.path] = Folder()
                self._name(one.path, None)
            case "R":
                self._name(one.data.decode(), self._files.get(one.inode))
                self._name(one.path, None, there=False)
            case "L":
                self._name(one.data.decode(), self._files.get(one.inode))
            case "U":
                self._name(one.path, None, there=False)
            case "S" if one.path in self._folders:
                self._folders[one.path].sync()
            case "S" if one.inode in self._files:
                self._files[one.inode].sync()
            case "W" | "T" if one.inode in self._files:
                self._files[one.inode].unsynced.append(one)

    def _name(self, path: str, target: File | None, *, there: bool = True) -> None:
        folder, _, name = path.rpartition("/")
        self._folders.setdefault(folder, Folder()).unsynced.append((name, target, there))

    def lose_power(self, kept: str, chance: random.Random) -> None:
        """Keep nothing unsynced, all names and no bytes, some of both, or all, as `kill -9` does."""
        part = {"all": 1.0, "some": 0.5}.get(kept, 0.0)
        for file in self._files.values():
            file.sync([one for one in file.unsynced if chance.random() < part])
        for folder in self._folders.values():
            most = len(folder.unsynced)
            folder.sync({"nothing": 0, "some": chance.randint(0, most)}.get(kept, most))

    def write_to(self, target: Path) -> None:
        """Make the files and folders that are left, below another folder."""
        self._write(str(self._home), target)

    def _write(self, source: str, target: Path) -> None:
        target.mkdir(mode=0o700, exist_ok=True)
        for name, file in self._folders[source].names.items():
            if file is not None:
                (target / name).write_bytes(file.content)
                (target / name).chmod(0o600)
            elif f"{source}/{name}" in self._folders:
                self._write(f"{source}/{name}", target / name)


def answers(operations: list[Operation], name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield what was answered, each with the number of operations before it."""
    for number, one in enumerate(operations):
        if one.kind == "W" and one.path.endswith(f"/{name}"):
            yield number, json.loads(one.data)
