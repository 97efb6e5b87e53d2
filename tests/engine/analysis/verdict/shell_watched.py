"""Runs shell scripts where every effect leaves a trace, and says which of them had one.

The scripts see an empty environment but for one canary, a folder with one file, and a search path with the
listed programs and `pwned`. A trace is a call of `pwned` or of an unknown command, a new, changed or missing
file, and the name or the text of a canary in the output. The scripts come from this project's own tests.
It uses the standard library alone, so that it runs in any image with bash and a Python.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

NAME = "canary-file"
"""The name of the file."""
CONTENT = "content-91f3"
"""The text of the file, and the value of the variable of the environment."""
SCRIPT_SECONDS = 5
"""A script that takes longer is killed with what it started."""
_DRIVER = r"""
cd "$1" || exit 1; FUNCNEST=6
# a process each: bash goes on with the next line of a file where it gives up one, unlike with that of `eval`
for script in "$2"/*; do
  number=${script##*/}
  ( ulimit -t 2 -f 2000 -v 2000000 -u 4000; export FUNCNEST
    exec < /dev/null > "$OUT/$number" 2>&1
    unset OUT TRACE
    exec /bin/bash --norc --noprofile "$script" )
  shopt -s nullglob dotglob; found=(*); shopt -u nullglob dotglob
  IFS= read -rd '' content < canary-file
  [[ ${found[*]} == canary-file && $content == content-91f3 ]] || echo "$number file"
  [[ -e $TRACE ]] && { echo "$number pwned"; /bin/rm -f "$TRACE"; }
done
exit 0
"""


_MISSING = re.compile(rb"([\w./-]+): command not found")


def effects(scripts: Sequence[str], folder: Path, commands: Iterable[str]) -> list[tuple[int, str]]:
    """Return the numbers of the scripts that had an effect, and the effect."""
    known = set(commands)
    places = {name: folder / name for name in ("work", "scripts", "out", "bin")}
    for place in places.values():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
    _prepare(places, folder / "trace", known)
    for number, script in enumerate(scripts):
        (places["scripts"] / f"{number:06}").write_text(script, encoding="utf-8")
    reported = [line.split() for line in _driven(places, folder / "trace").splitlines()]
    printed = [
        (number, "prints a canary, or calls a command that is not there")
        for number in range(len(scripts))
        if _prints(places["out"], number, scripts, known)
    ]
    return [*((int(number), effect) for number, effect in reported), *printed]


def _driven(places: dict[str, Path], trace: Path) -> str:
    """Return what the driver says of the scripts; one that does not end is killed, and the next one runs."""
    command = ["/bin/bash", "--norc", "--noprofile", "-c", _DRIVER, "main.sh"]
    environment = {
        "PATH": str(places["bin"]), "OUT": str(places["out"]), "TRACE": str(trace),
        "SECRET": CONTENT, "LANG": "C.UTF-8",
    }  # fmt: skip
    with subprocess.Popen(
        [*command, str(places["work"]), str(places["scripts"])],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as driver:  # fmt: skip
        done = threading.Event()
        watch = threading.Thread(target=_kill_late, args=(driver.pid, places["out"], done))
        watch.start()
        told, _ = driver.communicate()
        done.set()
        watch.join()
    if driver.returncode:
        raise subprocess.CalledProcessError(driver.returncode, command, told)
    return told


def _kill_late(driver: int, out: Path, done: threading.Event) -> None:
    """Kill the processes of the driver whenever it has been at one script for too long."""
    at, looks = -1, 0
    while not done.wait(1.0):
        now = sum(1 for _ in out.iterdir())
        at, looks = (at, looks + 1) if now == at else (now, 0)
        if looks >= SCRIPT_SECONDS:
            for process in _below(driver):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def _below(ancestor: int) -> list[int]:
    """Return the processes that a process started, and those that they started."""
    parents = dict[int, int]()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found, fresh = list[int](), [ancestor]
    while fresh:
        fresh = [process for process, parent in parents.items() if parent in fresh]
        found += fresh
    return found


def _prepare(places: dict[str, Path], trace: Path, commands: Iterable[str]) -> None:
    (places["work"] / NAME).write_text(CONTENT, encoding="utf-8")
    for name in commands:
        program = shutil.which(name, path="/usr/bin:/bin")
        if program is not None and name != "[":
            (places["bin"] / name).symlink_to(program)
    tripwire = places["bin"] / "pwned"
    tripwire.write_text(f"#!/bin/sh\necho pwned >> {trace}\n", encoding="utf-8")
    tripwire.chmod(0o755)


def _prints(out: Path, number: int, scripts: Sequence[str], commands: set[str]) -> bool:
    """Return whether a script printed a canary that is not in its own text, or called an unknown command."""
    path = out / f"{number:06}"
    printed = path.read_bytes() if path.exists() else b""
    names = NAME.encode() in printed and NAME not in scripts[number]
    missing = {one.decode() for one in _MISSING.findall(printed)} - commands
    return names or CONTENT.encode() in printed or (bool(missing) and "not found" not in scripts[number])


def main() -> None:
    """Read scripts and names of commands from standard input; write what had an effect."""
    given = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        json.dump(effects(given["scripts"], Path(folder), given["commands"]), sys.stdout)


if __name__ == "__main__":
    main()
