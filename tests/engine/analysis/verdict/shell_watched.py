"""Runs shell scripts where every effect leaves a trace, and says which of them had one.

The scripts see an empty environment but for one canary, a folder with one file, and a search path with the
listed programs and `pwned`. A trace is a call of `pwned` or of an unknown command, a new, changed or missing
file, and the name or the text of a canary in the output. The scripts come from this project's own tests.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from engine.analysis.verdict.shell.library import COMMANDS

NAME = "canary-file"
"""The name of the file."""
CONTENT = "content-91f3"
"""The text of the file, and the value of the variable of the environment."""
_DRIVER = r"""
cd "$1" || exit 1; FUNCNEST=6
for script in "$2"/*; do
  number=${script##*/}
  ( ulimit -t 2 -f 2000 -v 2000000 -u 4000; code=$(< "$script"); set --
    exec < /dev/null > "$OUT/$number" 2>&1
    unset OUT script number TRACE found
    eval "$code" )
  shopt -s nullglob dotglob; found=(*); shopt -u nullglob dotglob
  [[ ${found[*]} == canary-file && $(< canary-file) == content-91f3 ]] || echo "$number file"
  [[ -e $TRACE ]] && { echo "$number pwned"; /bin/rm -f "$TRACE"; }
done
exit 0
"""


def effects(scripts: Sequence[str], folder: Path) -> list[tuple[int, str]]:
    """Return the numbers of the scripts that had an effect, and the effect."""
    places = {name: folder / name for name in ("work", "scripts", "out", "bin")}
    for place in places.values():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
    _prepare(places, folder / "trace")
    for number, script in enumerate(scripts):
        (places["scripts"] / f"{number:06}").write_text(script, encoding="utf-8")
    command = [
        "/bin/bash",
        "--norc",
        "--noprofile",
        "-c",
        _DRIVER,
        "main.sh",
        str(places["work"]),
        str(places["scripts"]),
    ]
    environment = {
        "PATH": str(places["bin"]), "OUT": str(places["out"]), "TRACE": str(folder / "trace"),
        "SECRET": CONTENT, "LANG": "C.UTF-8",
    }  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=True)
    reported = [line.split() for line in done.stdout.splitlines()]
    printed = [
        (number, "prints a canary")
        for number in range(len(scripts))
        if _prints(places["out"], number, scripts)
    ]
    return [*((int(number), effect) for number, effect in reported), *printed]


def _prepare(places: dict[str, Path], trace: Path) -> None:
    (places["work"] / NAME).write_text(CONTENT, encoding="utf-8")
    for name in COMMANDS:
        program = shutil.which(name, path="/usr/bin:/bin")
        if program is not None and name != "[":
            (places["bin"] / name).symlink_to(program)
    tripwire = places["bin"] / "pwned"
    tripwire.write_text(f"#!/bin/sh\necho pwned >> {trace}\n", encoding="utf-8")
    tripwire.chmod(0o755)


def _prints(out: Path, number: int, scripts: Sequence[str]) -> bool:
    """Return whether a script printed a canary that is not in its own text."""
    path = out / f"{number:06}"
    printed = path.read_bytes() if path.exists() else b""
    names = NAME.encode() in printed and NAME not in scripts[number]
    return names or CONTENT.encode() in printed
