"""The process beside an engine that ends its sandboxes, without Docker, once the engine has died.

A paused sandbox of a dead engine keeps dockerd from starting. This file is started by a bare interpreter
and imports nothing of the engine: `python -I -S watchdog.py ENGINE PROCESS`. The engine holds the other end
of its standard input, and kills it in an orderly stop: the end of that input means that the engine has died.
One that is only stopped (SIGSTOP) holds on to it.
"""

from __future__ import annotations

import os
import sys

GROUPS, PROCESSES = "/sys/fs/cgroup", "/proc"
SETTLE_SECONDS = 3.0
"""How long it looks for sandboxes that Docker was starting for the engine when it died."""
LOOK_SECONDS = 0.05
_RUNTIME = "runsc-sandbox"
_BUNDLE = "--bundle="
_ID_LENGTH = 64


def bundle_of(process: str) -> str:
    """Return the OCI bundle of gVisor's process of a container (a folder of /proc), or "" for any other."""
    try:
        with open(f"{process}/cmdline", "rb") as file:  # noqa: PTH123  pathlib is not imported here
            name, *words = os.fsdecode(file.read()).split("\0")
    except OSError:
        return ""
    named = [word.removeprefix(_BUNDLE) for word in words if word.startswith(_BUNDLE)]
    own = name.endswith(_RUNTIME) and len(named) == 1 and _is_id(named[0].rpartition("/")[2])
    return named[0] if own else ""


def _is_id(name: str) -> bool:
    return len(name) == _ID_LENGTH and not name.strip("0123456789abcdef")


def labels_of(bundle: str) -> dict[str, str]:
    """Return the labels of a container from the files that Docker mounts into it, without asking Docker."""
    import json  # noqa: PLC0415  it takes memory, and is needed once

    ending = f"/containers/{bundle.rpartition('/')[2]}/hostname"
    try:
        with open(f"{bundle}/config.json", encoding="utf-8") as file:  # noqa: PTH123
            sources = [str(mount.get("source", "")) for mount in json.load(file)["mounts"]]
        folder = next(one for one in sources if one.endswith(ending)).removesuffix("/hostname")
        with open(f"{folder}/config.v2.json", encoding="utf-8") as file:  # noqa: PTH123
            labels = json.load(file)["Config"]["Labels"]
        return {str(name): str(value) for name, value in labels.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration):
        return {}


def end_all(engine: str, owner: str, proc: str = PROCESSES, root: str = GROUPS) -> int:
    """Resume and kill every sandbox of one engine's process; return how many there were."""
    ended = 0
    for number in os.listdir(proc):  # noqa: PTH208
        bundle = bundle_of(f"{proc}/{number}") if number.isdecimal() else ""
        labels = labels_of(bundle) if bundle else {}
        if (labels.get("pratique.engine"), labels.get("pratique.process")) == (engine, owner):
            _end(number, bundle.rpartition("/")[2], proc, root)
            ended += 1
    return ended


def _end(number: str, container: str, proc: str, root: str) -> None:
    """Resume a sandbox, whose processes would not die otherwise, and kill them."""
    groups = _groups(f"{proc}/{number}/cgroup", container, root)
    for group in groups:
        _write(f"{group}/freezer.state", "THAWED")
        _write(f"{group}/cgroup.freeze", "0")
    for pid in {number, *(pid for group in groups for pid in _read(f"{group}/cgroup.procs").split())}:
        try:
            os.kill(int(pid), 9)
        except OSError:
            continue


def _groups(path: str, container: str, root: str) -> list[str]:
    """Return the folders of the control groups, version 1 and 2, that are this container's own."""
    lines = [line.split(":", 2)[1:] for line in _read(path).splitlines()]
    folders = [
        f"{root}/{name}{place}".replace("//", "/") for names, place in lines for name in names.split(",")
    ]
    return [folder for folder in folders if container in folder.rpartition("/")[2]]


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return ""


def _write(path: str, text: str) -> None:
    try:
        with open(path, "r+", encoding="utf-8") as file:  # noqa: PTH123  it makes no file
            file.write(text)
    except OSError:
        return


def main(engine: str, owner: str) -> None:
    """Wait for the death of the engine, then end its sandboxes, also those that are only starting."""
    while os.read(0, 1):
        pass
    import time  # noqa: PLC0415

    end = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < end:
        if end_all(engine, owner):
            end = time.monotonic() + SETTLE_SECONDS
        time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    main(*sys.argv[1:])
